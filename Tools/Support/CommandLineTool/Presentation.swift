/// How results are shown to a person: what every command of every tool takes besides its own parameters.
struct Presentation: Sendable {
  /// When colours are used.
  enum Color: String, CaseIterable, Sendable { case auto, always, never }

  static let color = Parameter<Color>.choice(
    "color", default: .auto, "Whether colours are used; auto does on a terminal, unless NO_COLOR is set.")
  static let noPager = Parameter.flag(
    "no-pager", "Prints long results to the terminal as they are, not through PAGER.")
  static let parameters: [any AnyParameter] = [color, noPager]

  let color: Color
  let isPaged: Bool

  init(_ arguments: Arguments, of command: Command) throws(ToolFailure) {
    color = try arguments[Self.color]
    let isUnwanted = try arguments[Self.noPager]
    isPaged = try command.isPaged(arguments) && !isUnwanted
  }
}

/// What a console needs to know of the terminal that a person sits at.
public struct Terminal: Sendable {
  /// Whether results go there.
  let showsOutput: Bool
  /// Whether messages go there.
  let showsErrors: Bool
  /// The value of an environment variable.
  let environment: @Sendable (String) -> String?
  /// How many columns it says that it has.
  let size: @Sendable () -> Int?
  /// The time, for what is shown only after a while.
  let now: @Sendable () -> ContinuousClock.Instant

  /// Describes a terminal; none if neither results nor messages go to one.
  public init(
    showsOutput: Bool = false, showsErrors: Bool = false,
    environment: @escaping @Sendable (String) -> String? = { _ in nil },
    size: @escaping @Sendable () -> Int? = { nil },
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.showsOutput = showsOutput
    self.showsErrors = showsErrors
    self.environment = environment
    self.size = size
    self.now = now
  }

  /// A terminal that can move its cursor.
  private var isCapable: Bool { environment("TERM") != "dumb" }

  /// Whether results are coloured (<https://no-color.org>).
  func isColored(_ choice: Presentation.Color) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto: showsOutput && isCapable && environment("NO_COLOR")?.isEmpty != false
    }
  }

  /// The command that long results go through; `nil` if they do not, as without a terminal.
  var pager: String? {
    guard showsOutput, isCapable else { return nil }
    let pager = environment("PAGER") ?? "less"
    return pager.isEmpty || pager == "cat" ? nil : pager
  }

  /// How many columns a result may take; `nil` if it does not go there. Who sets `COLUMNS` knows better than the terminal.
  var columns: Int? {
    guard showsOutput else { return nil }
    let columns = environment("COLUMNS").flatMap { Int($0) } ?? size()
    return columns.flatMap { $0 > 0 ? $0 : nil }
  }

  var showsProgress: Bool { showsErrors && isCapable }
}

/// What a part of a line is coloured for.
public enum Emphasis: String, Sendable {
  /// Something is wrong, or gone.
  case bad = "31"
  /// Something is new.
  case good = "32"
  /// Something should be looked at.
  case caution = "33"
  /// A folder.
  case folder = "34"
  /// Something to know.
  case note = "36"
}
