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

  @Test func `a program that does not end is killed and named`() async throws {
    let process = try Subprocess(["sh", "-c", "echo 'waiting for ever' >&2; exec sleep 86400"])

    let failure = await #expect(throws: Subprocess.Endless.self) {
      try await process.result(within: .seconds(2))
    }

    #expect(failure?.description.contains("exec sleep 86400") == true)
    #expect(failure?.description.contains("waiting for ever") == true)
  }
}
