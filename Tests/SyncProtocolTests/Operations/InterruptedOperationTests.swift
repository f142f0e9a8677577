import Testing

/// Each operation, broken off before and after each of its requests and each of its writes to the store: whoever tries again completes it, and
/// nobody loses anything.
@Suite struct InterruptedOperationTests {
  private static func number(_ operation: RemoteOperation) -> Int {
    RemoteOperation.allCases.firstIndex(of: operation) ?? 0
  }

  @Test(arguments: RemoteOperation.allCases, FaultyBackend.Fault.allCases)
  func `an operation whose device loses its connection at any request is completed`(
    operation: RemoteOperation, fault: FaultyBackend.Fault
  ) async throws {
    var reached = 0
    for request in OperationPoints(Self.number(operation)) {
      let run = try await OperationRun([operation], "\(fault) at request \(request)")
      let stage = run.stage
      let faulty = FaultyBackend(stage.remote, after: request, fault)
      await run.attempt(operation, stage.actor, on: faulty)
      guard faulty.hasFailed else { break }
      reached += 1
      await run.complete(operation, stage.actor)
      try await run.settle()
      try await run.check()
    }
    #expect(!OperationPoints.isLong || reached > 2, "\(operation) makes \(reached) requests")
  }

  @Test(arguments: RemoteOperation.allCases)
  func `an operation whose device loses its power at any write to its store is completed`(
    operation: RemoteOperation
  ) async throws {
    for write in OperationPoints(Self.number(operation)) {
      let run = try await OperationRun([operation], "without power from write \(write) on")
      let stage = run.stage
      let power = PowerSupply(writes: write)
      let device = operation == .join ? stage.newcomer(of: stage.actor) : stage.actor
      device.setPower(power)
      await run.attempt(operation, stage.actor, on: FaultyBackend(stage.remote, poweredBy: power))
      device.setPower(nil)
      guard power.isOut else { break }
      await run.complete(operation, stage.actor)
      try await run.settle()
      try await run.check()
    }
  }
}
