import BackendConformance
import Locking
import SyncProtocol
import Testing

@Suite struct MessageTests {
  private static let foreign =
    "what other programs put into a folder is reported as foreign and left alone"

  @Test func `what a listing lacks and has too much is told by name, with its characters escaped`()
    async throws
  {
    let said = try await failure(of: Self.foreign) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          var listing = try await memory.list(path)
          guard let index = listing.foreign.firstIndex(of: "na\u{EF}ve") else { return listing }
          listing.foreign[index] = "nai\u{308}ve"
          return listing
        }
      }
    }
    #expect(said.contains("missing: “na\\u{00EF}ve”; too much: “nai\\u{0308}ve”"))
  }

  @Test func `of many names that are missing, the first are told, and how many there are besides`()
    async throws
  {
    let said = try await failure(of: Self.foreign) { memory in
      { client in
        client.onList = { (path) async throws(BackendError) in
          RemoteListing(entries: try await memory.list(path).entries)
        }
      }
    }
    #expect(said.contains("and 6 more"))
    #expect(!said.contains("too much"))
  }

  @Test func `of pages, the number of the one that is wrong is told`() async throws {
    let said = try await failure(of: "a page may be asked for twice", entries: 2_500) { memory in
      let isAsked = Locked(false)
      return { client in
        client.onListPage = { (path, token) async throws(BackendError) in
          var page = try await memory.list(path, after: token)
          let isFirst =
            page.next == nil
            && isAsked.withLock { isAsked in
              defer { isAsked = true }
              return !isAsked
            }
          if isFirst { page.listing.entries.removeLast() }
          return page
        }
      }
    }
    #expect(said.contains("page 3, of 499 entries"))
  }

  @Test(arguments: ["with space ", "nai\u{308}ve\u{0}\n", "\u{212B}", "%25/?#", ""])
  func `tokens of pages come back byte for byte`(_ addition: String) async throws {
    let mark = "\(addition)/"
    for law in BackendConformance.laws where law.description.contains("page") {
      try await law.verify(sizes: ConformanceSizes(entries: 20, largeFile: 40 << 20, heldFile: 4 << 20)) {
        let memory = MemoryBackend(pageSize: 8)
        var client = Variation(memory)
        client.onListPage = { (path, token) async throws(BackendError) in
          let text = token?.description
          if let text, !text.utf8.starts(with: mark.utf8) { throw BackendError(.failed, path: path) }
          let last = text.map { String(decoding: $0.utf8.dropFirst(mark.utf8.count), as: UTF8.self) }
          var page = try await memory.list(path, after: last.map { ListingPage.Token($0) })
          page.next = page.next.map { ListingPage.Token("\(mark)\($0)") }
          return page
        }
        let marking = client
        return storage(in: memory, connect: { marking })
      }
    }
  }

  /// What a law says of a client with an error.
  private func failure(
    of law: String, entries: Int = 20,
    _ plant: @escaping @Sendable (MemoryBackend) -> @Sendable (inout Variation) -> Void
  ) async throws -> String {
    let law = try #require(BackendConformance.laws.first { $0.description == law })
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await law.verify(
        sizes: ConformanceSizes(entries: entries, largeFile: 40 << 20, heldFile: 4 << 20),
        Flaw("an error", breaks: law.description, plant).makeStorage)
    }
    return failure?.description ?? ""
  }
}
