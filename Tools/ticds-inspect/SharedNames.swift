import ChangeTracking

/// Names of devices for lines that each stand alone: where several authors are called alike, the author stands behind the name.
struct SharedNames {
  private let shared: Set<String>

  /// - Parameter names: what the device of each author is called.
  init(_ names: [AuthorID: String] = [:]) {
    shared = Set(Dictionary(grouping: names.values) { $0 }.filter { $0.value.count > 1 }.keys)
  }

  /// A name, shown as the caller shows names.
  func text(_ name: String, _ author: AuthorID, _ shown: (String) -> String) -> String {
    shared.contains(name) ? "\(shown(name)) [\(author)]" : shown(name)
  }
}
