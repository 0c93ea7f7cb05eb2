Enabled = 1
MyType = "Owner"
NumIdle = 30
NumRunning = 0
NumSuspended = 0
ScheddName = "node.test"
User = "tester@test"

