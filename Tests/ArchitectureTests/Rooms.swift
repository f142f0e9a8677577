import Foundation
import ProcessTesting

/// The table of rooms in `Docs/Architecture.md`, which is the rule that the tests enforce.
struct Rooms {
  struct Room {
    let name: String
    let folder: String
    let mayDependOn: Set<String>

    func contains(_ path: String) -> Bool {
      if folder.hasSuffix("*") { return path.hasPrefix(folder.dropLast()) && isCName(path) }
      return path == folder || path.hasPrefix(folder + "/")
    }

    /// `Modules/Support/CSQLite` is a C library's name, `Modules/Support/CoreDataFormats` is not.
    private func isCName(_ path: String) -> Bool {
      let rest = path.dropFirst(folder.count - 1)
      return rest.first?.isUppercase == true || rest.first?.isNumber == true
    }
  }

  let rooms: [Room]

  static func load() throws -> Rooms {
    let text = try String(contentsOf: Checkout.root.appending(path: "Docs/Architecture.md"), encoding: .utf8)
    return Rooms(text: text)
  }

  init(text: String) {
    let section = text.components(separatedBy: "\n## ").first { $0.hasPrefix("The rooms") } ?? ""
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2)
    rooms = rows.map { row in
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      let allowed = cells[3].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      return Room(name: cells[1], folder: cells[2], mayDependOn: Set(allowed))
    }
  }

  /// The room with the longest matching folder.
  func room(of path: String) -> Room? {
    rooms.filter { $0.contains(path) }.max { $0.folder.count < $1.folder.count }
  }

  /// Every arrow of the targets that the table does not allow, as sentences.
  func violations(in targets: [Manifest.Target]) -> [String] {
    let folders = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0.folder) })
    return targets.flatMap { target -> [String] in
      guard let room = room(of: target.folder) else {
        return ["\(target.name) (\(target.folder)) is in no room"]
      }
      return target.dependencyNames.compactMap { name in
        guard let folder = folders[name], let other = self.room(of: folder) else {
          return "\(target.name) depends on \(name), which is in no room"
        }
        return room.mayDependOn.contains(other.name)
          ? nil : "\(target.name) (\(room.name)) must not depend on \(name) (\(other.name))"
      }
    }
  }
}
