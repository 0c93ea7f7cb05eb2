# @summary The history of group quotas: it is recorded every five minutes, and pruned every night.
#
# @param start Whether the timers are started as well as enabled.
# @param units A directory with the units (contrib/systemd), where no package has installed them.
class htcq::drift (
  Boolean $start = true,
  Optional[String[1]] $units = undef,
) {
  htcq::timers { 'drift':
    timers => ['htcq-drift', 'htcq-drift-prune'],
    start  => $start,
    units  => $units,
  }
}
