import Testing

/// Each operation of a device with each one of another in the middle of it: nobody loses anything, all agree in the end, and each does what
/// it would do by itself.
@Suite struct OperationPairTests {
  @Test(arguments: RemoteOperation.allCases, RemoteOperation.allCases)
  func `two operations at once leave nobody behind`(one: RemoteOperation, other: RemoteOperation) async throws
  {
    let all = RemoteOperation.allCases
    let number = (all.firstIndex(of: one) ?? 0) * all.count + (all.firstIndex(of: other) ?? 0)
    for request in OperationPoints(number) {
      let run = try await OperationRun([one, other], "the second before request \(request)")
      let stage = run.stage
      let meeting = FaultyBackend(stage.remote, before: request) {
        await run.attempt(other, stage.other, on: stage.remote)
      }
      await run.attempt(one, stage.actor, on: meeting)
      guard meeting.requests > request else { break }
      await run.complete(one, stage.actor, besides: other)
      await run.complete(other, stage.other, besides: one)
      try await run.settle()
      try await run.check()
    }
  }
}
