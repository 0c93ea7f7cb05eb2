# @summary Timers of htcq, enabled and started, in their order.
#
# @param timers Names without '.timer'.
# @param start Whether they are started as well; an image that is built has no systemd to do it.
# @param units A directory with the units (contrib/systemd), where no package has installed them.
define htcq::timers (
  Array[String[1]] $timers,
  Boolean $start = true,
  Optional[String[1]] $units = undef,
) {
  include htcq

  if $units {
    $timers.each |$timer| {
      file { "/etc/systemd/system/${timer}.timer":
        ensure => file,
        mode   => '0644',
        source => "${units}/${timer}.timer",
        before => Service["${timer}.timer"],
      }
      file { "/etc/systemd/system/${timer}.service":
        ensure => file,
        mode   => '0644',
        source => "${units}/${timer}.service",
        before => Service["${timer}.timer"],
      }
    }
  }

  $running = $start ? {
    true  => running,
    false => undef,
  }

  $timers.each |$index, $timer| {
    service { "${timer}.timer":
      ensure   => $running,
      enable   => true,
      provider => systemd,
      require  => File['/etc/htcq/htcq.toml'],
    }
    if $index > 0 {
      Service["${timers[$index - 1]}.timer"] -> Service["${timer}.timer"]
    }
  }
}
