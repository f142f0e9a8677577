import BackendConformance
import Foundation
import SyncProtocol

extension Flaw {
  static let names = [
    Flaw(
      "names that begin with a sign are hidden", breaks: "every valid name can be written, listed and read"
    ) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          var listing = try await memory.list(path)
          listing.entries.removeAll { ["-", "_"].contains($0.name.description.prefix(1)) }
          return listing
        }
      }
    },
    classic("names are decoded that nobody encoded") { $0.replacing("%25", with: "%") },
    Flaw("names of digits are taken for numbers", breaks: "every valid name can be written, listed and read")
    {
      memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          var listing = try await memory.list(path)
          for index in listing.entries.indices {
            let number = Int(listing.entries[index].name.description).flatMap { RemoteName("\($0)") }
            if let number, listing.entries[index].name.description.count < 8 {
              listing.entries[index].name = number
            }
          }
          return listing
        }
      }
    },
    classic("names are listed in composed form") { $0.precomposedStringWithCanonicalMapping },
    classic("white space around a name is left out") { $0.trimmingCharacters(in: .whitespaces) },
    classic("characters beyond sixteen bits are listed as question marks") { name in
      String(String.UnicodeScalarView(name.unicodeScalars.map { $0.value > 0xffff ? "?" : $0 }))
    },
    classic("characters of no width are left out") { name in
      String(String.UnicodeScalarView(name.unicodeScalars.filter { $0.value != 0x200d }))
    },
    classicWriting("a temporary name is the name and more, so that the longest names cannot be written") {
      $0.utf8.count > 240
    },
    Flaw("foreign names go into addresses as they are", breaks: foreignNames) { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          // What stands behind these signs is no part of a path any more.
          let name = path.name?.description.prefix { $0 != "?" && $0 != "#" } ?? ""
          guard let asked = RemotePath("\(path.parent?.description ?? "")/\(name)", .classic) else {
            return try await memory.download(path, limit: limit)
          }
          return try await memory.download(asked, limit: limit)
        }
      }
    },
    Flaw("foreign names are decoded that nobody encoded", breaks: foreignNames) { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          let decoded = path.description.replacing("%25", with: "%")
          return try await memory.download(RemotePath(decoded, .classic) ?? path, limit: limit)
        }
      }
    },
    Flaw("foreign names go without regard to case", breaks: foreignNames) { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          let text = path.description.lowercased()
          guard RemotePath(path.description) == nil else {
            return try await memory.download(path, limit: limit)
          }
          let alike = memory.files.keys.filter { $0.description.lowercased() == text }.min()
          return try await memory.download(alike ?? path, limit: limit)
        }
      }
    },
    refusingForeign("shells fill in what begins with a dollar sign") { $0.contains("$") },
    refusingForeign("signs of mark-up end an address") { $0.contains("<") || $0.contains("|") },
    refusingForeign("foreign names end at a hundred bytes") { $0.utf8.count > 100 },
    Flaw("what other programs put there is left alone whatever is asked", breaks: foreignNames) { memory in
      { client in
        client.onRemove = { (path) async throws(BackendError) in
          guard RemotePath(path.description) != nil else { throw BackendError(.forbidden, path: path) }
          try await memory.remove(path)
        }
      }
    },
    Flaw("folders lie in one another ten deep", breaks: "folders can lie in one another twelve deep") {
      memory in
      { client in
        client.onMakeDirectory = { (path) async throws(BackendError) in
          guard path.names.count <= 10 else { throw BackendError(.unsupported, path: path) }
          try await memory.makeDirectory(path)
        }
      }
    },
    Flaw("paths end at 255 bytes", breaks: "long names can lie deep in long names") { memory in
      { client in
        client.onMakeDirectory = { (path) async throws(BackendError) in
          guard path.description.utf8.count <= 255 else { throw BackendError(.unsupported, path: path) }
          try await memory.makeDirectory(path)
        }
      }
    },
    Flaw(
      "an underscore stands for anything in the name of what is examined",
      breaks: "an underscore or a dot in the name of what is read or examined stands for itself"
    ) { memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          let match = memory.files.keys.first { path.matchesAsPattern($0) }
          return try await memory.stat(match ?? path)
        }
      }
    },
    Flaw(
      "files are examined without regard to case, and created with",
      breaks: "names that differ in case are two files, or one everywhere"
    ) { memory in
      { client in
        client.onStat = { (path) async throws(BackendError) in
          let text = path.description.lowercased()
          let match = memory.files.keys.first { $0.description.lowercased() == text }
          return try await memory.stat(memory.files[path] == nil ? match ?? path : path)
        }
      }
    },
  ]

  private static let foreignNames =
    "what other programs put into a folder is read, moved and removed under its own name"

  /// Storage that cannot find some of what other programs put there.
  private static func refusingForeign(
    _ description: String, _ isLost: @escaping @Sendable (String) -> Bool
  ) -> Flaw {
    Flaw(description, breaks: foreignNames) { memory in
      { client in
        client.onDownload = { (path, limit) async throws(BackendError) in
          if let name = path.name, RemoteName(name.description) == nil, isLost(name.description) {
            throw BackendError(.notFound, path: path)
          }
          return try await memory.download(path, limit: limit)
        }
      }
    }
  }

  /// Storage that cannot write some names of the classic system.
  private static func classicWriting(
    _ description: String, _ isRefused: @escaping @Sendable (String) -> Bool
  ) -> Flaw {
    inStorage(
      description,
      breaks: "names of classic remotes can be written, listed and read, each form of a character for itself"
    ) {
      let memory = MemoryBackend()
      return ConformanceStorage(
        connect: { memory }, absentRoot: { absentRoot() },
        addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) },
        connectToClassic: {
          var client = Variation(memory)
          client.onUpload = { (bytes, path) async throws(BackendError) in
            if let name = path.name, isRefused(name.description) { throw BackendError(.failed, path: path) }
            try await memory.upload(bytes, to: path)
          }
          return client
        }, keepsContentInMemory: true)
    }
  }

  /// Storage that lists names of the classic system otherwise than they were written.
  private static func classic(
    _ description: String, listing change: @escaping @Sendable (String) -> String
  ) -> Flaw {
    var flaw = inStorage(
      description,
      breaks: "names of classic remotes can be written, listed and read, each form of a character for itself"
    ) {
      let memory = MemoryBackend()
      return ConformanceStorage(
        connect: { memory }, absentRoot: { absentRoot() },
        addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) },
        connectToClassic: {
          var client = Variation(memory)
          client.onList = { (path) async throws(BackendError) in
            var listing = try await memory.list(path)
            for index in listing.entries.indices {
              let name = RemoteName(change(listing.entries[index].name.description), .classic)
              if let name { listing.entries[index].name = name }
            }
            return listing
          }
          return client
        }, keepsContentInMemory: true)
    }
    // Whoever lists another name than was written cannot tell two names apart.
    flaw.mayBreak = [
      "names of classic remotes that differ in an escape or a sign are stored apart",
      "names of classic remotes that look alike are two files, or one everywhere",
    ]
    return flaw
  }
}
