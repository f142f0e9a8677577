import BackendConformance
import Foundation
import SyncProtocol

extension Flaw {
  static let toldAsItIs = "a foreign name that no path can hold is told as it is, or not at all"
  static let anyName = "a folder is moved and removed with foreign files of any name in it"

  static let awkwardNames = [
    telling("control characters of foreign names are told as question marks") { name in
      String(name.map { isControl($0) ? "?" : $0 })
    },
    telling("foreign names with control characters are told as they stand in addresses") { name in
      name.contains(where: isControl)
        ? name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name : name
    },
    telling("control characters of foreign names are left out") { name in
      name.filter { !isControl($0) }
    },
    telling("backslashes of foreign names are told as slashes") { $0.replacing("\\", with: "/") },
    telling("line feeds at the end of foreign names are left out") {
      $0.hasSuffix("\n") ? String($0.dropLast()) : $0
    },
    telling("what turns the direction of writing is left out") {
      // That of the law alone; in the middle of a name it is told.
      $0.hasPrefix("\u{202E}") ? String($0.unicodeScalars.dropFirst().map(Character.init)) : $0
    },
    telling("line separators are told as line feeds") { $0.replacing("\u{2028}", with: "\n") },
    Flaw("a foreign name with a control character ends the listing", breaks: toldAsItIs) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          let listing = try await memory.list(path)
          if listing.foreign.contains(where: { $0.contains("\u{1B}") }) {
            throw BackendError(.damaged, path: path, detail: "the listing is no XML")
          }
          return listing
        }
      }
    },
    Flaw("a foreign name with a line feed hides what comes after it", breaks: toldAsItIs) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          var listing = try await memory.list(path)
          let names = (listing.entries.map(\.name.description) + listing.foreign).sorted()
          guard let first = names.first(where: { $0.contains("\n") }) else { return listing }
          listing.entries.removeAll { $0.name.description > first }
          listing.foreign.removeAll { $0 > first }
          return listing
        }
      }
    },
    Flaw(
      "what lies beside a foreign name with a tab is read in place of a name with its escape",
      breaks: toldAsItIs
    ) {
      memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          let bytes = try await memory.download(path, limit: limit)
          return path.name?.description == "a%09b" ? Array("a\tb".utf8) : bytes
        }
      }
    }.breaking(also: anyName),
    Flaw("a folder with a foreign name of control characters is not removed", breaks: anyName) { memory in
      { client in
        client.onRemove = { (path) async throws(BackendError) in
          if let foreign = try? await memory.list(path).foreign,
            foreign.contains(where: { $0.contains("\t") })
          {
            throw BackendError(.failed, path: path, detail: "the folder is not empty")
          }
          try await memory.remove(path)
        }
      }
    },
    Flaw("what a folder held of foreign names is there again when it is made anew", breaks: anyName) {
      memory in
      { client in
        client.onRemove = { (path) async throws(BackendError) in
          let left = (try? await memory.list(path).foreign)?.filter { $0.contains("\n") } ?? []
          try await memory.remove(path)
          for name in left { memory.addForeign(name, to: path) }
        }
      }
    },
    Flaw("a folder is moved without its foreign files that end in a sign of direction", breaks: anyName) {
      memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          try await memory.move(source, to: destination)
          for path in memory.files(below: destination).keys
          where path.name?.description.contains("\u{202E}") == true {
            try await memory.remove(path)
          }
        }
      }
    },
  ]

  private static func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// Storage that tells foreign names otherwise than they are.
  private static func telling(_ description: String, _ change: @escaping @Sendable (String) -> String) -> Flaw
  {
    Flaw(description, breaks: toldAsItIs) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          var listing = try await memory.list(path)
          listing.foreign = listing.foreign.map(change)
          return listing
        }
      }
    }
  }
}
