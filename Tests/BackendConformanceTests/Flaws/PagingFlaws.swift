import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  private static let whole = "the pages of a folder hold what a listing holds, each entry once"
  private static let lasting = "what lies in a folder all the while is on a page, whatever comes and goes"

  private static let turns = "the pages of two folders may be read in turns"

  private static let foreign = "foreign names end no listing and hide no entry"

  static let paging = [
    paging("each page begins with the last entry of the one before", breaks: whole) { listing, last in
      let entries = listing.sortedEntries
      let start =
        last.map { last in entries.firstIndex { $0.name.description >= last } ?? entries.count } ?? 0
      return entries.dropFirst(start).page(of: 8, foreign: last == nil ? listing.foreign : [])
    },
    paging("a page begins with the folder that ended the one before", breaks: whole) { listing, last in
      let rest = listing.sortedEntries.filter { entry in
        last.map { entry.name.description > $0 || entry.name.description == $0 && entry.kind == .folder }
          ?? true
      }
      return rest[...].page(of: 8, foreign: last == nil ? listing.foreign : [])
    },
    paging("names go without regard to case, and on with", breaks: whole) { listing, last in
      listing.page(after: last) { $0.name.description.lowercased() }
    },
    paging("folders go by a name with a slash, and on without", breaks: whole) { listing, last in
      listing.page(after: last) { "\($0.name)\($0.kind == .folder ? "/" : "")" }
    },
    paging("a page without a name of ours is the last", breaks: "\(foreign), page by page") { listing, last in
      let names = (listing.entries.map(\.name.description) + listing.foreign).sorted()
      let rest = names.drop { name in last.map { name <= $0 } ?? false }
      let onPage = Set(rest.prefix(8))
      let part = RemoteListing(
        entries: listing.entries.filter { onPage.contains($0.name.description) },
        foreign: listing.foreign.filter(onPage.contains))
      guard rest.count > 8, !part.entries.isEmpty else { return ListingPage(part) }
      return ListingPage(part, next: onPage.max().map { ListingPage.Token($0) })
    },
    Flaw("a page of foreign names ends a listing", breaks: foreign) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          let listing = try await memory.list(path)
          let names = (listing.entries.map(\.name.description) + listing.foreign).sorted()
          var listed: Set<String> = []
          for start in stride(from: 0, to: names.count, by: 8) {
            let page = names[start...].prefix(8)
            listed.formUnion(page)
            if Set(listing.foreign).isSuperset(of: page) { break }
          }
          return RemoteListing(
            entries: listing.entries.filter { listed.contains($0.name.description) },
            foreign: listing.foreign.filter(listed.contains))
        }
      }
    },
    paging("a token holds sixty-four characters", breaks: whole) { listing, last in
      let rest = listing.sortedEntries.filter { entry in last.map { entry.name.description > $0 } ?? true }
      var page = rest[...].page(of: 8, foreign: last == nil ? listing.foreign : [])
      page.next = page.next.map { ListingPage.Token(String($0.description.prefix(64))) }
      return page
    },
    Flaw("a token is good once", breaks: "a page may be asked for twice") { memory in
      { client in
        let used = Locked<Set<String>>([])
        client.onListPage = { (path, token) async throws(BackendError) in
          // The names of one listing do not come again in the next, for each has a number of its own.
          let text = token?.description ?? "0/\(Int.random(in: 0 ... .max))/"
          let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
          let last = parts.count == 3 && !parts[2].isEmpty ? String(parts[2]) : nil
          let listing = try await memory.list(path)
          guard used.withLock({ $0.insert(text).inserted }) else { return ListingPage(RemoteListing()) }
          let rest = listing.sortedEntries.filter { entry in last.map { entry.name.description > $0 } ?? true
          }
          var page = rest[...].page(of: 8, foreign: last == nil ? listing.foreign : [])
          page.next = page.next.map { ListingPage.Token("0/\(parts[1])/\($0)") }
          return page
        }
      }
    },
    Flaw("a client goes on with the folder that it began to read last", breaks: turns) { memory in
      { client in
        let reading = Locked(RemotePath.root)
        client.onListPage = { (path, token) async throws(BackendError) in
          if token == nil { reading.withLock { $0 = path } }
          let listing = try await memory.list(reading.withLock { $0 })
          let rest = listing.sortedEntries.filter { entry in
            token.map { entry.name.description > $0.description } ?? true
          }
          return rest[...].page(of: 8, foreign: token == nil ? listing.foreign : [])
        }
      }
    },
    Flaw("a token is a number of the client, and begins again with each folder", breaks: turns) { memory in
      { client in
        let last = Locked<[Int: String]>([:])
        client.onListPage = { (path, token) async throws(BackendError) in
          let number = token.flatMap { Int($0.description) } ?? 0
          let start = number == 0 ? nil : last.withLock { $0[number] }
          let listing = try await memory.list(path)
          let rest = listing.sortedEntries.filter { entry in start.map { entry.name.description > $0 } ?? true
          }
          var page = rest[...].page(of: number % 2 == 0 ? 8 : 5, foreign: token == nil ? listing.foreign : [])
          last.withLock { $0[number + 1] = page.next?.description }
          page.next = page.next.map { _ in ListingPage.Token("\(number + 1)") }
          return page
        }
      }
    },
    paging("where the last name of a page has gone, pages begin anew", breaks: lasting) { listing, last in
      let entries = listing.sortedEntries
      let index = last.flatMap { last in entries.firstIndex { $0.name.description == last } }
      return entries[(index.map { $0 + 1 } ?? 0)...].page(of: 8, foreign: last == nil ? listing.foreign : [])
    },
    paging("pages begin at a number", breaks: lasting) { listing, last in
      let start = last.flatMap { Int($0) } ?? 0
      var page = listing.sortedEntries.dropFirst(start).page(
        of: 8, foreign: last == nil ? listing.foreign : [])
      if page.next != nil { page.next = ListingPage.Token("\(start + 8)") }
      return page
    },
    paging("where the last name of a page has gone, no page follows", breaks: lasting) { listing, last in
      let entries = listing.sortedEntries
      guard let last else { return entries[...].page(of: 8, foreign: listing.foreign) }
      guard let index = entries.firstIndex(where: { $0.name.description == last }) else {
        return ListingPage(RemoteListing())
      }
      return entries[(index + 1)...].page(of: 8, foreign: [])
    },
  ]

  /// Makes pages of a listing, each from the token of the one before.
  private static func paging(
    _ description: String, breaks law: String,
    _ page: @escaping @Sendable (RemoteListing, String?) -> ListingPage
  ) -> Flaw {
    Flaw(description, breaks: law) { memory in
      { client in
        client.onListPage = { (path, token) async throws(BackendError) in
          page(try await memory.list(path), token?.description)
        }
      }
    }
  }
}

extension RemoteListing {
  fileprivate var sortedEntries: [RemoteEntry] { entries.sorted { $0.name < $1.name } }

  /// Eight entries in an order of their own, though what follows the token is found by name.
  fileprivate func page(after last: String?, inOrderOf key: (RemoteEntry) -> String) -> ListingPage {
    let rest = entries.sorted { key($0) < key($1) }.filter { entry in
      last.map { entry.name.description > $0 } ?? true
    }
    return rest[...].page(of: 8, foreign: last == nil ? foreign : [])
  }
}

extension ArraySlice<RemoteEntry> {
  /// The first entries, and the last name of them as the token if more follow.
  fileprivate func page(of size: Int, foreign: [String]) -> ListingPage {
    let part = Array(prefix(size))
    let next = count > size ? part.last.map { ListingPage.Token($0.name.description) } : nil
    return ListingPage(RemoteListing(entries: part, foreign: foreign), next: next)
  }
}
