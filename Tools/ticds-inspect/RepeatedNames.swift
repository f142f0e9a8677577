/// Tells devices apart that are called alike: where a name comes twice, the beginning of the identifier stands before it, where no
/// terminal is too narrow for it.
struct RepeatedNames {
  private static let length = 8
  private let repeated: Set<String>

  init(_ names: [String]) {
    repeated = Set(Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys)
  }

  /// The name in quotation marks, with the beginning of the identifier if others bear the name.
  func text(_ name: String, _ identifier: String) -> String {
    let shown = "“\(DisplayText.shortened(name))”"
    guard repeated.contains(name) else { return shown }
    return "\(DisplayText.printable(String(identifier.prefix(Self.length)))) \(shown)"
  }
}
