import Synchronization
import Testing

@testable import CommandLineTool

/// The line that says how far a command is.
@Suite struct ProgressTests {
  /// What shows on a terminal whose time the test sets.
  private final class Screen: Sendable {
    let time = Mutex(ContinuousClock.now)
    let shown = Mutex("")

    func console(showsErrors: Bool = true) -> Console {
      Console(
        output: { bytes in
          self.shown.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
          return nil
        },
        errors: { bytes in
          self.shown.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
          return nil
        },
        terminal: Terminal(showsErrors: showsErrors, now: { self.time.withLock { $0 } }))
    }

    func wait(_ milliseconds: Int) { time.withLock { $0 += .milliseconds(milliseconds) } }
  }

  private static func tool(_ screen: Screen) -> Tool {
    Tool(
      "worker", "Works.", version: "1",
      commands: [
        Command("work", "Works for three seconds.", []) { _, console in
          for step in 1...6 {
            screen.wait(500)
            console.progress("step \(step)")
            console.progress("too soon")
          }
          console.print("done")
        },
        Command("hurry", "Works for less than a second.", []) { _, console in
          screen.wait(999)
          console.progress("not yet")
        },
      ])
  }

  @Test func `it appears after a second, and nothing of it is left before the result`() async {
    let screen = Screen()
    #expect(await Self.tool(screen).run(["work"], console: screen.console()) == .success)
    let clear = "\r\u{1b}[K"
    let steps = (2...6).map { "\(clear)step \($0)" }.joined()
    #expect(screen.shown.withLock { $0 } == "\(steps)\(clear)done\n")
  }

  @Test func `it does not appear within a second, nor without a terminal`() async {
    let quick = Screen()
    _ = await Self.tool(quick).run(["hurry"], console: quick.console())
    #expect(quick.shown.withLock { $0 } == "")
    let piped = Screen()
    _ = await Self.tool(piped).run(["work"], console: piped.console(showsErrors: false))
    #expect(piped.shown.withLock { $0 } == "done\n")
  }
}
