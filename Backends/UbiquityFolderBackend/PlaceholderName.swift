import SyncProtocol

/// The name of the file that stands where the content of another is elsewhere: `.head.icloud` for `head`.
enum PlaceholderName {
  private static let ending = ".icloud"

  /// The name of the placeholder of a file.
  static func name(for file: String) -> String { ".\(file)\(ending)" }

  /// The file that a placeholder stands for; `nil` for other names.
  static func file(of name: String) -> String? {
    guard name.hasPrefix("."), name.hasSuffix(ending), name.utf8.count > ending.utf8.count + 1 else {
      return nil
    }
    return String(name.dropFirst().dropLast(ending.count))
  }
}
