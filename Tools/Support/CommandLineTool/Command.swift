/// One verb of a tool: its parameters and what it does.
public struct Command: Sendable {
  /// What a command does with its arguments. Cancelled when the process is interrupted or terminated.
  public typealias Body = @Sendable (Arguments, Console) async throws -> ToolStatus

  /// The verb.
  public let name: String
  /// What it does, in one sentence.
  public let summary: String
  /// What it takes, in the order of the usage line.
  public let parameters: [any AnyParameter]
  /// Groups of which at most one may be given.
  public let exclusive: [[any AnyParameter]]
  let body: Body
  /// Whether the results go through a pager on a terminal.
  private(set) var isPaged: @Sendable (Arguments) throws(ToolFailure) -> Bool = { _ throws(ToolFailure) in
    false
  }

  /// What it takes, with what every command takes.
  var allParameters: [any AnyParameter] { parameters + Presentation.parameters }

  /// The same command with results that may be long, so that a person at a terminal reads them page by page.
  ///
  /// - Parameter exception: a flag with which the command shows something as it comes.
  public func paged(unless exception: Parameter<Bool>? = nil) -> Command {
    var command = self
    command.isPaged = { arguments throws(ToolFailure) in
      guard let exception else { return true }
      return try !arguments[exception]
    }
    return command
  }

  /// Declares a command that succeeds when it returns.
  public init(
    _ name: String, _ summary: String, _ parameters: [any AnyParameter],
    exclusive: [[any AnyParameter]] = [],
    perform: @escaping @Sendable (Arguments, Console) async throws -> Void
  ) {
    self.init(name: name, summary: summary, parameters: parameters, exclusive: exclusive) {
      arguments, console in
      try await perform(arguments, console)
      return .success
    }
  }

  /// Declares a command that ends with a status of its own, such as a check.
  public static func withStatus(
    _ name: String, _ summary: String, _ parameters: [any AnyParameter],
    exclusive: [[any AnyParameter]] = [], body: @escaping Body
  ) -> Command {
    Command(name: name, summary: summary, parameters: parameters, exclusive: exclusive, body: body)
  }

  private init(
    name: String, summary: String, parameters: [any AnyParameter], exclusive: [[any AnyParameter]],
    body: @escaping Body
  ) {
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.exclusive = exclusive
    self.body = body
  }
}
