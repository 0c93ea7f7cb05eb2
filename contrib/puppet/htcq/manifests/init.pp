# @summary What every machine of a pool has: the site file, a directory of htcq's own, and the line that makes HTCondor read it.
#
# @param site_file Content of /etc/htcq/htcq.toml, see htcq.toml(5).
# @param packages Packages with htcq and its units; none where something else installs it.
# @param config_dirs The directories of LOCAL_CONFIG_DIR in condor_config.
# @param include Files of /usr/share/htcq/config.d that HTCondor reads besides, such as '60-htcq-probe.config'.
# @param nodes Facts of one node of each kind, as 'htcq probe --json' prints them, by name of the kind.
class htcq (
  String $site_file,
  Array[String[1]] $packages = ['htcq', 'htcq-timers'],
  Array[String[1]] $config_dirs = ['/usr/share/condor/config.d', '/etc/condor/config.d'],
  Array[String[1]] $include = [],
  Hash[String[1], String[1]] $nodes = {},
) {
  package { $packages:
    ensure => installed,
    before => [File['/etc/htcq'], File['/etc/condor/htcq.d']],
  }

  # Only root may write to these: htcq trusts nothing else.
  file { ['/etc/htcq', '/etc/htcq/nodes', '/etc/condor/htcq.d']:
    ensure => directory,
    owner  => 'root',
    group  => 'root',
    mode   => '0755',
  }

  file { '/etc/htcq/htcq.toml':
    ensure  => file,
    owner   => 'root',
    group   => 'root',
    mode    => '0644',
    content => $site_file,
  }

  $nodes.each |$kind, $facts_of_kind| {
    file { "/etc/htcq/nodes/${kind}.json":
      ensure  => file,
      owner   => 'root',
      group   => 'root',
      mode    => '0644',
      content => $facts_of_kind,
    }
  }

  file { '/etc/condor/htcq.d/00-htcq-directories.config':
    ensure  => file,
    owner   => 'root',
    group   => 'root',
    mode    => '0644',
    content => epp('htcq/directories.config.epp', { 'config_dirs' => $config_dirs }),
  }

  # In config.d, so that a module that purges it keeps this file and what it includes.
  file { '/etc/condor/config.d/60-htcq.config':
    ensure  => file,
    owner   => 'root',
    group   => 'root',
    mode    => '0644',
    content => epp('htcq/include.config.epp', { 'files' => ['10-htcq-directory.config'] + $include }),
    require => File['/etc/condor/htcq.d/00-htcq-directories.config'],
  }
}
