import CommandLineTool

/// Where a password comes from: a file, a descriptor that whoever starts the tool has opened, or the person at the terminal. Never the
/// command line, which every process can read.
public struct PasswordSource: Sendable {
  private static let greatestDescriptor = 1 << 16

  private let file: Parameter<String?>
  private let descriptor: Parameter<String?>
  private let question: String
  private let isNew: Bool

  /// Declares `--NAME-file` and `--NAME-fd`.
  ///
  /// - Parameters:
  ///   - name: what both begin with.
  ///   - help: which password it is, as the end of “A file whose first line is”.
  ///   - question: what a person is asked who gives neither.
  ///   - isNew: whether the person chooses it, and is asked twice.
  public init(_ name: String, _ help: String, question: String, isNew: Bool = false) {
    file = .optional("\(name)-file", placeholder: "F", "A file whose first line is \(help)")
    descriptor = .optional("\(name)-fd", placeholder: "N", "An open descriptor whose first line is \(help)")
    self.question = question
    self.isNew = isNew
  }

  /// What a command takes that needs the password.
  public var parameters: [any AnyParameter] { [file, descriptor] }

  /// Whether the command line says where it is.
  public func isGiven(_ arguments: Arguments) -> Bool { parameters.contains { arguments.contains($0) } }

  /// The password that the command line leads to; `nil` if it says nothing of it.
  public func given(_ arguments: Arguments) throws(ToolFailure) -> String? {
    if let path = try arguments[file] { return try PasswordFile.read(path) }
    guard let text = try arguments[descriptor] else { return nil }
    guard let number = Int32(text), (0...Int32(Self.greatestDescriptor)).contains(number) else {
      throw .usage(
        "--\(descriptor.specification.name) does not take “\(text)”",
        advice: "it takes the number of a descriptor")
    }
    return try PasswordFile.read(descriptor: number)
  }

  /// The password; who sits at a terminal and has not said where it is, is asked.
  public func read(_ arguments: Arguments, _ console: Console) throws(ToolFailure) -> String {
    if let given = try given(arguments) { return given }
    guard console.isInteractive else {
      throw .usage(
        "--\(file.specification.name) is missing",
        advice:
          "name a file or, with --\(descriptor.specification.name), a descriptor; at a terminal you are asked"
      )
    }
    let first = try answer(question, console)
    guard isNew else { return first }
    guard try answer("\(question) Once more:", console) == first else {
      throw ToolFailure(.wrongPassword, "the two passwords differ", advice: "nothing was changed; try again")
    }
    return first
  }

  private func answer(_ question: String, _ console: Console) throws(ToolFailure) -> String {
    guard let answer = console.askHidden("\(question) ") else {
      throw ToolFailure(.interrupted, "no password was entered")
    }
    return try PasswordFile.checked(answer, "the password that was entered")
  }

  /// Refuses two passwords from one descriptor: who reads the first cannot leave the second.
  public static func requireApart(_ sources: [PasswordSource], _ arguments: Arguments) throws(ToolFailure) {
    var seen: Set<String> = []
    for source in sources {
      guard let number = try arguments[source.descriptor], !seen.insert(number).inserted else { continue }
      throw .usage(
        "two passwords cannot come from the descriptor \(number)", advice: "open one for each of them")
    }
  }
}
