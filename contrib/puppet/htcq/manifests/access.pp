# @summary An access point: the weight of idle jobs, and whether leftovers are taken.
#
# @param options More words for 'htcq emit'.
# @param reconfig Whether 'condor_reconfig' follows a change.
class htcq::access (
  Array[String[1]] $options = [],
  Boolean $reconfig = true,
) {
  include htcq

  htcq::emit { 'access':
    options  => htcq::nodes($htcq::nodes) + $options,
    reconfig => $reconfig,
  }
}
