# @summary The file of one role, which 'htcq emit' writes to the directory of htcq's own if that changes anything.
#
# @param role What the machine is: execute, access or central.
# @param options More words for 'htcq emit', such as '--node' and a file.
# @param reconfig Whether 'condor_reconfig' follows a change.
define htcq::emit (
  Enum['execute', 'access', 'central'] $role = $title,
  Array[String[1]] $options = [],
  Boolean $reconfig = false,
) {
  $command = (['/usr/bin/htcq', 'emit', '--role', $role] + $options + ['--write', '/etc/condor/htcq.d']).shellquote

  exec { "htcq emit --role ${role}":
    command   => $command,
    # What would change; nothing is printed where nothing would. A refusal is an error of the command itself.
    unless    => "out=$(${command} --diff) && test -z \"\$out\"",
    provider  => shell,
    logoutput => true,
    require   => [File['/etc/htcq/htcq.toml'], File['/etc/condor/config.d/60-htcq.config']],
  }

  if $reconfig {
    exec { "condor_reconfig after htcq emit --role ${role}":
      command     => '/usr/sbin/condor_reconfig',
      refreshonly => true,
      subscribe   => Exec["htcq emit --role ${role}"],
    }
  }
}
