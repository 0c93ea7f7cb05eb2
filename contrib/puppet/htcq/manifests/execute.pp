# @summary An execution point: its slots and its consumption policy, by the kind of node that it is in the site file.
#
# Neither a reconfig nor a restart follows: a reconfig alone applies half of a policy, and a restart ends jobs. The log has the
# command; htcq-emit(1), "ROLLING OUT", has the order.
#
# @param options More words for 'htcq emit'. Without '--node', it examines the machine.
class htcq::execute (
  Array[String[1]] $options = [],
) {
  include htcq

  htcq::emit { 'execute':
    options => $options,
  }
}
