/// Numbers with what they count.
enum Amount {
  /// The number and the word that goes with it.
  static func text(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }
}
