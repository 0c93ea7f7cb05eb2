# @summary A central manager: slot weights for quotas and demand, and the groups that the site file declares.
#
# @param groups Whether the site file declares groups.
# @param options More words for 'htcq emit'.
# @param reconfig Whether 'condor_reconfig' follows a change.
class htcq::central (
  Boolean $groups = false,
  Array[String[1]] $options = [],
  Boolean $reconfig = true,
) {
  include htcq

  htcq::emit { 'central':
    options  => htcq::nodes($htcq::nodes) + $options,
    reconfig => $reconfig,
  }

  if $groups {
    $command = '/usr/bin/htcq quota emit --write /etc/condor/htcq.d'

    exec { 'htcq quota emit':
      command   => $command,
      unless    => "out=$(${command} --diff) && test -z \"\$out\"",
      provider  => shell,
      logoutput => true,
      require   => Htcq::Emit['central'],
    }

    if $reconfig {
      exec { 'condor_reconfig after htcq quota emit':
        command     => '/usr/sbin/condor_reconfig -negotiator',
        refreshonly => true,
        subscribe   => Exec['htcq quota emit'],
      }
    }
  }
}
