/// A command-line program: its verbs, and how a command line becomes one of them.
public struct Tool: Sendable {
  /// The program's name, as messages show it.
  public let name: String
  /// What it is for, in one sentence.
  public let summary: String
  /// The version that `--version` prints.
  public let version: String
  /// Its verbs, in the order of the help.
  public let commands: [Command]
  /// Turns an error of a library into an exit status and one sentence; `nil` leaves it to the tool's own words.
  let translate: @Sendable (any Error) -> ToolFailure?

  /// Declares a program.
  public init(
    _ name: String, _ summary: String, version: String, commands: [Command],
    translatingErrors translate: @escaping @Sendable (any Error) -> ToolFailure? = { _ in nil }
  ) {
    self.name = name
    self.summary = summary
    self.version = version
    self.commands = commands
    self.translate = translate
  }

  /// Runs one command line without ending the process. The words do not include the program's name.
  public func run(_ words: [String], console: Console) async -> ToolStatus {
    var status: ToolStatus
    do {
      status = try await perform(words, console: console)
    } catch {
      let failure = describe(error)
      status = failure.status
      console.complain("\(name): \(failure.description)")
    }
    console.finish()
    if let failure = console.flush() {
      let isDone = status == .success
      status = failure.isFull ? .full : .forbidden
      console.complain(
        "\(name): the output could not be written: \(failure.words)\(isDone ? "; what was asked was done" : "")."
      )
    }
    return status
  }

  private func perform(_ words: [String], console: Console) async throws -> ToolStatus {
    guard let verb = words.first else {
      throw ToolFailure.usage("a command is missing", advice: "“\(name) --help” lists them")
    }
    let rest = Array(words.dropFirst())
    switch verb {
    case GeneralOption.help.form, "-h", GeneralOption.helpVerb.form:
      guard let topic = rest.first else {
        console.write(Help(tool: self, fitting: console.columns).overview)
        return .success
      }
      console.write(Help(tool: self, fitting: console.columns).text(for: try command(topic)))
      return .success
    case GeneralOption.version.form:
      console.print("\(name) \(version)")
      return .success
    case GeneralOption.completions.form:
      console.write(try shell(rest).script(for: self))
      return .success
    case GeneralOption.manual.form:
      console.write(ManualPage(tool: self).source)
      return .success
    default:
      let command = try command(verb)
      if asksForHelp(rest) {
        console.write(Help(tool: self, fitting: console.columns).text(for: command))
        return .success
      }
      let arguments = try ArgumentParser(command: command, environment: console.environment).parse(rest)
      console.present(try Presentation(arguments, of: command))
      return try await command.body(arguments, console)
    }
  }

  private func shell(_ words: [String]) throws(ToolFailure) -> Shell {
    let names = Shell.allCases.map(\.rawValue).joined(separator: ", ")
    guard let word = words.first else {
      throw .usage("--completions needs the name of a shell", advice: "it takes one of \(names)")
    }
    guard let shell = Shell(rawValue: word) else {
      throw .usage("--completions does not take “\(word)”", advice: "it takes one of \(names)")
    }
    return shell
  }

  /// Whether help is asked for. After `--` it is a word; as an option's value it is written `--title=--help`.
  private func asksForHelp(_ words: [String]) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }

  private func command(_ verb: String) throws(ToolFailure) -> Command {
    if let match = commands.first(where: { $0.name == verb }) { return match }
    let suggestion = Suggestion.nearest(to: verb, among: commands.map(\.name))
    throw .usage(
      "there is no command “\(verb)”",
      advice: suggestion.map { "did you mean “\($0)”?" } ?? "“\(name) --help” lists the commands")
  }

  private func describe(_ error: any Error) -> ToolFailure {
    if let failure = error as? ToolFailure { return failure }
    if let failure = translate(error) { return failure }
    if error is CancellationError { return ToolFailure(.interrupted, "cancelled") }
    return ToolFailure(.unexpected, "something unexpected happened: \(error)", advice: "please report it")
  }
}
