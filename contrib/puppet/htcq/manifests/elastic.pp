# @summary Elastic quotas on the central manager: their file, the account that plans, and the timers.
#
# contrib/systemd/README.md says what comes before: a look at 'htcq elastic status' for some days, and one step by hand.
#
# @param quotas Content of /etc/htcq/elastic.toml, see htcq-elastic(1). Its [elastic.write] must name /etc/condor/htcq.d.
# @param start Whether the timers are started as well as enabled.
# @param units A directory with the units (contrib/systemd), where no package has installed them.
class htcq::elastic (
  String $quotas,
  Boolean $start = true,
  Optional[String[1]] $units = undef,
) {
  include htcq

  unless $quotas =~ /(?m:^\s*directory\s*=\s*["']\/etc\/condor\/htcq\.d["'])/ {
    fail('htcq::elastic: [elastic.write] of the quotas must have directory = "/etc/condor/htcq.d"')
  }

  user { 'htcq':
    ensure  => present,
    system  => true,
    comment => 'htcq, looks at the HTCondor pool',
    home    => '/',
    shell   => '/usr/sbin/nologin',
  }

  file { '/etc/htcq/elastic.toml':
    ensure  => file,
    owner   => 'root',
    group   => 'root',
    mode    => '0644',
    content => $quotas,
  }

  if $units {
    file { '/etc/systemd/system/htcq-elastic-write.service':
      ensure => file,
      mode   => '0644',
      source => "${units}/htcq-elastic-write.service",
      before => Htcq::Timers['elastic'],
    }
  }

  # The dead-man timer first: never the other without it.
  htcq::timers { 'elastic':
    timers  => ['htcq-elastic-deadman', 'htcq-elastic'],
    start   => $start,
    units   => $units,
    require => [User['htcq'], File['/etc/htcq/elastic.toml']],
  }
}
