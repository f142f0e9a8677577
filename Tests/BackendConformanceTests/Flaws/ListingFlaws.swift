import BackendConformance
import SyncProtocol

extension Flaw {
  private static let manyEntries = "a folder of many files and folders is listed whole"

  static let listing = [
    stopping(at: 100), stopping(at: 1_000), stopping(at: 5_000),
    Flaw(
      "what ends in a tilde is hidden",
      breaks: "what other programs put into a folder is reported as foreign and left alone"
    ) { memory in
      changingListings { listing, _ in listing.foreign.removeAll { $0.hasSuffix("~") } }(memory)
    },
    Flaw("folders beyond the first five hundred are left out", breaks: manyEntries) { memory in
      changingListings { listing, _ in
        let folders = listing.entries.filter { $0.kind == .folder }
        listing.entries = listing.entries.filter { $0.kind == .file } + folders.prefix(500)
      }(memory)
    },
    Flaw("folders are on the first page only", breaks: "\(manyEntries), page by page") { memory in
      { client in
        client.onListPage = { (path, token) async throws(BackendError) in
          var page = try await memory.list(path, after: token)
          if token != nil { page.listing.entries.removeAll { $0.kind == .folder } }
          return page
        }
      }
    },
    Flaw("pages overlap by an entry", breaks: "every entry is listed once") { memory in
      changingListings { listing, _ in
        if listing.entries.count > 100 { listing.entries.append(listing.entries[99]) }
      }(memory)
    },
    Flaw(
      "what lies deeper is listed too",
      breaks: "a folder lists what lies directly in it, and nothing that lies deeper"
    ) { memory in
      changingListings { listing, folder in
        let hasFiles = listing.entries.contains { $0.kind == .file }
        guard folder != .root, hasFiles else { return }
        for path in memory.files(below: folder).keys where path.names.count > folder.names.count + 1 {
          if let name = path.name { listing.entries.append(RemoteEntry(name: name, kind: .file)) }
        }
      }(memory)
    },
    Flaw(
      "a listing is a search by prefix: LIKE 'a%'",
      breaks: "a folder lists nothing of folders whose names begin alike"
    ) { memory in
      changingListings { listing, folder in
        for path in memory.files.keys where folder != .root && path.parent != folder {
          guard let parent = path.parent, let name = path.name,
            parent.description.hasPrefix(folder.description), parent.parent == folder.parent
          else { continue }
          listing.entries.append(RemoteEntry(name: name, kind: .file))
        }
      }(memory)
    },
    Flaw(
      "a listing is a search by pattern: an underscore stands for anything",
      breaks: "an underscore or a dot in the name of what is listed stands for itself"
    ) { memory in
      changingListings { listing, folder in
        for path in memory.files.keys where path.parent != folder {
          guard let parent = path.parent, let name = path.name, folder.matchesAsPattern(parent) else {
            continue
          }
          listing.entries.append(RemoteEntry(name: name, kind: .file))
        }
      }(memory)
    },
    Flaw(
      "foreign names are hidden",
      breaks: "what other programs put into a folder is reported as foreign and left alone"
    ) { memory in
      changingListings { listing, _ in listing.foreign = [] }(memory)
    }.breaking(also: "a folder is moved together with what other programs put into it"),
    Flaw(
      "foreign names in the root are hidden",
      breaks: "what other programs put into a folder is reported as foreign and left alone"
    ) { memory in
      changingListings { listing, folder in if folder == .root { listing.foreign = [] } }(memory)
    },
    Flaw(
      "foreign files that lie deeper keep a folder from being removed",
      breaks: "a folder is removed together with what other programs put into it"
    ) { memory in
      { client in
        client.onRemove = { (path) async throws(BackendError) in
          for text in memory.folders where text.hasPrefix("\(path)/") && path != .root {
            guard let inner = RemotePath(text.dropLast()), inner != path,
              let foreign = try? await memory.list(inner).foreign, !foreign.isEmpty
            else { continue }
            throw BackendError(.alreadyExists, path: path, detail: "the folder is not empty")
          }
          try await memory.remove(path)
        }
      }
    },
    Flaw(
      "foreign files keep a folder from being removed",
      breaks: "a folder is removed together with what other programs put into it"
    ) { memory in
      { client in
        client.onRemove = { (path) async throws(BackendError) in
          if let foreign = try? await memory.list(path).foreign, !foreign.isEmpty {
            throw BackendError(.alreadyExists, path: path, detail: "the folder is not empty")
          }
          try await memory.remove(path)
        }
      }
    },
  ]

  private static func stopping(at limit: Int) -> Flaw {
    var flaw = Flaw("listings stop at \(limit)", breaks: manyEntries) { memory in
      changingListings { listing, _ in listing.entries = Array(listing.entries.prefix(limit)) }(memory)
    }
    // As many as `ConformanceSizes.long` finds, and no others do.
    if limit > 1_000 { flaw.entries = limit + 10 }
    return flaw
  }

  private static func changingListings(
    _ change: @escaping @Sendable (inout RemoteListing, RemotePath) -> Void
  ) -> @Sendable (MemoryBackend) -> @Sendable (inout Variation) -> Void {
    { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          var listing = try await memory.list(path)
          change(&listing, path)
          return listing
        }
      }
    }
  }
}
