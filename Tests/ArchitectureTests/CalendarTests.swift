import Foundation
import ProcessTesting
import Testing

/// Foundation shows dates before 15 October 1582 by another calendar than the one that programs read.
@Suite struct CalendarTests {
  /// What is shown there is never before 1970.
  private static let exceptions: Set<String> = ["SyncError+Removals.swift"]

  @Test func `dates become text in one place`() throws {
    let pattern = /\.iso8601|ISO8601|DateFormatter|DateComponents|\bCalendar\(/
    var found: [String] = []
    for folder in ["Modules", "Tools", "Backends"] {
      let files = FileManager.default.enumerator(
        at: Checkout.root.appending(path: folder), includingPropertiesForKeys: nil)
      for case let file as URL in files ?? .init()
      where file.pathExtension == "swift" && !Self.exceptions.contains(file.lastPathComponent) {
        if try String(contentsOf: file, encoding: .utf8).contains(pattern) {
          found.append(file.lastPathComponent)
        }
      }
    }
    #expect(found == [], "DateText does that, for everybody alike")
  }
}
