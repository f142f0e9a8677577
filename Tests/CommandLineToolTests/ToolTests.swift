import Synchronization
import Testing

@testable import CommandLineTool

@Suite struct ToolTests {
  /// Collects what a tool writes.
  final class Screen: Sendable {
    let output = Mutex("")
    let errors = Mutex("")
    let failure: Console.WriteFailure?

    init(failingWith failure: Console.WriteFailure? = nil) { self.failure = failure }

    var console: Console {
      Console(
        output: { bytes in
          self.output.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
          return self.failure
        },
        errors: { bytes in
          self.errors.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
          return nil
        })
    }
    var written: String { output.withLock { $0 } }
    var complaints: String { errors.withLock { $0 } }
  }

  struct Odd: Error {}

  static let word = Parameter.positional("WORD", "What to say.")
  static let tool = Tool(
    "parrot", "Says what it hears.", version: "1.2",
    commands: [
      Command("say", "Says one word.", [word, Parameter.flag("loud", "Shouts.")]) { arguments, console in
        console.print(try arguments[word])
      },
      .withStatus("look", "Finds something.", []) { _, _ in .findings },
      Command("fail", "Fails.", []) { _, _ in throw Odd() },
      Command("stop", "Is cancelled.", []) { _, _ in throw CancellationError() },
    ],
    translatingErrors: { $0 is Odd ? ToolFailure(.full, "no room\nleft", advice: "make some") : nil })

  @Test func `a command's result goes to standard output and its status out`() async {
    let screen = Screen()
    #expect(await Self.tool.run(["say", "hello"], console: screen.console) == .success)
    #expect(screen.written == "hello\n")
    #expect(screen.complaints == "")
    #expect(await Self.tool.run(["look"], console: screen.console) == .findings)
  }

  @Test func `every failure is one line on standard error that begins with the tool's name`() async {
    let cases: [([String], ToolStatus, String)] = [
      ([], .usage, "parrot: a command is missing; “parrot --help” lists them.\n"),
      (["sya"], .usage, "parrot: there is no command “sya”; did you mean “say”?\n"),
      (["say"], .usage, "parrot: WORD is missing.\n"),
      (["fail"], .full, "parrot: no room left; make some.\n"),
      (["stop"], .interrupted, "parrot: cancelled.\n"),
    ]
    for (words, status, sentence) in cases {
      let screen = Screen()
      #expect(await Self.tool.run(words, console: screen.console) == status)
      #expect(screen.complaints == sentence)
      #expect(screen.written == "")
    }
  }

  @Test func `help lists every command and every parameter`() async {
    let screen = Screen()
    #expect(await Self.tool.run(["--help"], console: screen.console) == .success)
    for command in Self.tool.commands { #expect(screen.written.contains("  \(command.name)")) }

    for words in [["say", "--help"], ["help", "say"], ["say", "-h"]] {
      let screen = Screen()
      #expect(await Self.tool.run(words, console: screen.console) == .success)
      #expect(
        screen.written == """
          Says one word.

          Usage: parrot say WORD [--loud]

            WORD                       What to say.
            --loud                     Shouts.
            --color auto|always|never  Whether colours are used; auto does on a terminal, unless NO_COLOR is
                                       set. Without it: auto.
            --no-pager                 Prints long results to the terminal as they are, not through PAGER.
            --help                     Prints this text.

          """)
    }
  }

  @Test func `help's lines fit a hundred columns`() async {
    let option = Parameter.optional(
      "a-long-option", placeholder: "VALUE", String(repeating: "Many words follow. ", count: 30))
    let tool = Tool("t", "T.", version: "1", commands: [Command("c", "C.", [option], perform: { _, _ in })])
    let screen = Screen()
    _ = await tool.run(["c", "--help"], console: screen.console)
    #expect(screen.written.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(screen.written.split(separator: " ").filter { $0.hasPrefix("Many") }.count == 30)
  }

  @Test(arguments: [30, 40, 60, 100, 200])
  func `help fits the terminal, but for words that are longer`(columns: Int) async {
    let option = Parameter.optional(
      "a-long-option", placeholder: "VALUE", String(repeating: "Many words follow. ", count: 30))
    let tool = Tool(
      "t", String(repeating: "It does much. ", count: 10), version: "1",
      commands: [Command("c", String(repeating: "Much is done. ", count: 10), [option], perform: { _, _ in })]
    )
    for words in [["--help"], ["c", "--help"]] {
      let written = Mutex("")
      let console = Console(
        output: { bytes in
          written.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
          return nil
        }, errors: { _ in nil }, terminal: Terminal(showsOutput: true, size: { columns }))

      _ = await tool.run(words, console: console)

      let lines = written.withLock { $0 }.split(separator: "\n")
      for line in lines where line.drop(while: { $0 == " " }).contains(" ") {
        #expect(line.count <= min(columns, 100), "\(line)")
      }
    }
  }

  @Test func `a reader that goes away is no failure, a full disk is`() async {
    let gone = Screen(failingWith: .init(code: 32))
    #expect(await Self.tool.run(["say", "x"], console: gone.console) == .success)
    #expect(gone.complaints == "")

    let full = Screen(failingWith: .init(code: 28))
    #expect(await Self.tool.run(["say", "x"], console: full.console) == .full)
    let done = "No space left on device; what was asked was done"
    #expect(full.complaints == "parrot: the output could not be written: \(done).\n")
  }

  @Test func `exit codes are distinct and in order`() {
    let numbers = ToolStatus.table.map(\.status.rawValue)
    #expect(numbers == Set(numbers).sorted())
  }
}
