# @summary The words by which 'htcq emit' is given a node of each kind.
#
# @param nodes Facts of the nodes by name of their kind.
# @return '--node' and a file for each of them
function htcq::nodes(Hash[String, String] $nodes) >> Array[String] {
  $nodes.keys.sort.reduce([]) |Array $words, String $kind| { $words + ['--node', "/etc/htcq/nodes/${kind}.json"] }
}
