import Foundation
import ProcessTesting
import Testing

@Suite struct SubprocessTests {
  @Test(.timeLimit(.minutes(10)))
  func `a program can be ended by a signal, whoever started it`() async throws {
    let process = try await onThreadOfItsOwn {
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_BLOCK, &all, nil)
      return Result { try Subprocess(["sleep", "600"]) }
    }.get()

    process.send(SIGTERM)

    #expect(try await process.result().ending == .killed(SIGTERM))
  }
}
