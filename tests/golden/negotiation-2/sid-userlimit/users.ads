Enabled = 1
MaxJobsRunning = 3
MyType = "Owner"
NumIdle = 199
NumRunning = 0
NumSuspended = 0
ScheddName = "node.test"
User = "tester@test"

