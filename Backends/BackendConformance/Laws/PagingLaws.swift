import SyncProtocol

extension BackendConformance {
  static let pagingLaws = [
    Law("the pages of a folder hold what a listing holds, each entry once") { context in
      try await context.fillMixed("folder", context.sizes.entries)
      try await context.expectPages(of: "folder")
    },
    Law("a page may be asked for twice") { context in
      try await context.fill("folder", context.sizes.entries)
      let folder = try context.path("folder")
      var token: ListingPage.Token?
      var number = 0
      repeat {
        number += 1
        let asked = try await context.backend.list(folder, after: token)
        // Who never got the answer asks again, and still has nothing but the old token.
        let again = try await context.backend.list(folder, after: token)
        try context.expectNames(
          again.listing.names, asked.listing.names,
          "page \(number), of \(asked.listing.names.count) entries, when it was asked for again")
        token = again.next
      } while token != nil
    },
    Law("the pages of two folders may be read in turns") { context in
      // With other names, so that what is said of one is wrong of the other.
      let (folders, names) = (["one", "two"], ["file", "other"])
      try await context.fill(folders[0], context.sizes.entries)
      guard try await context.backend.list(context.path(folders[0]), after: nil).next != nil else {
        throw context.skip("\(context.sizes.entries) entries are on one page")
      }
      try await context.fill(folders[1], context.sizes.entries, named: names[1])
      var (found, tokens) = (
        [[String]](repeating: [], count: 2), [ListingPage.Token?](repeating: nil, count: 2)
      )
      var number = 0
      var unread = Set(folders.indices)
      while !unread.isEmpty {
        number += 1
        try context.expect(number <= context.sizes.entries + 10, "the pages of a folder do not end")
        for index in unread.sorted() {
          let page = try await context.backend.list(context.path(folders[index]), after: tokens[index])
          try context.expectNames(
            page.listing.names.filter(Set(found[index]).contains), [],
            "on page \(number) of “\(folders[index])” as on one before, while “\(folders[1 - index])” was read, too"
          )
          found[index] += page.listing.names
          tokens[index] = page.next
          if page.next == nil { unread.remove(index) }
        }
      }
      for (index, folder) in folders.enumerated() {
        try context.expectNames(
          found[index], (0..<context.sizes.entries).map { "\(names[index])-\($0)" },
          "on \(number) pages of “\(folder)”, read in turns with another folder")
      }
    },
    Law("what lies in a folder all the while is on a page, whatever comes and goes") { context in
      let other = try await context.anotherClient()
      try await context.fill("folder", context.sizes.entries)
      let (first, last) = (try context.path("folder/a"), try context.path("folder/z"))
      let before = Set(try await context.names(in: "folder"))
      var gone: Set<String> = []
      let pages = try await context.pages(of: "folder") { number, page in
        // What was on the page before goes, so that all that follow move up, and so does the name that may be the token; what
        // comes moves them down.
        if number == 1 {
          for name in Set([page.first, page.last].compactMap(\.self)) {
            try await other.remove(context.path("folder/\(name)"))
            gone.insert(name)
          }
        }
        if number == 2 { for path in [first, last] { try await other.upload([1], to: path) } }
      }
      let stayed = before.subtracting(gone).sorted()
      let missed = Set(stayed).subtracting(pages.flatMap(\.names))
      let again = Set(pages[0].names).intersection(pages.dropFirst().flatMap(\.names))
      try context.expect(
        again.isEmpty,
        "when \(gone.sorted()) were removed after the first page, \(again.count) entries of it came again")
      try context.expect(
        missed.isEmpty,
        "of \(stayed.count) entries that stayed when \(gone.sorted()) were removed after the first page, \(missed.count) are on no page"
      )
    },
  ]
}

extension RemoteListing {
  fileprivate var names: [String] { entries.map(\.name.description) }
}

extension LawContext {
  /// All pages of a folder.
  ///
  /// - Parameters:
  ///   - folder: which folder.
  ///   - after: called with the number of each page, from 1, and the names of its entries.
  fileprivate func pages(
    of folder: String, _ after: (_ number: Int, _ names: [String]) async throws -> Void = { _, _ in }
  ) async throws -> [RemoteListing] {
    var pages: [RemoteListing] = []
    var token: ListingPage.Token?
    repeat {
      let page = try await backend.list(path(folder), after: token)
      pages.append(page.listing)
      try expect(pages.count <= sizes.entries + 10, "the pages of a folder do not end")
      token = page.next
      try await after(pages.count, page.listing.names)
    } while token != nil
    return pages
  }

  /// Compares the pages of a folder with its listing.
  fileprivate func expectPages(of folder: String) async throws {
    let listing = try await backend.list(path(folder))
    let pages = try await pages(of: folder)
    for (what, listed, paged) in [
      ("entries", listing.names, pages.flatMap(\.names)),
      ("foreign", listing.foreign, pages.flatMap(\.foreign)),
    ] {
      var seen: Set<String> = []
      let again = pages.indices.first { index in
        !pages[index].entries.allSatisfy { seen.insert($0.name.description).inserted }
      }
      let repeated = again.map { ", and page \($0 + 1) is the first to repeat an entry" } ?? ""
      try expectNames(
        paged, listed,
        "\(what): \(listed.count) are listed, \(paged.count) are on \(pages.count) pages of \(pages.map(\.entries.count).prefix(8)) entries\(repeated)"
      )
    }
  }

  /// Makes a folder of files and folders with long names that begin alike and sort otherwise without regard to case, or with a
  /// slash at the end.
  fileprivate func fillMixed(_ folder: String, _ count: Int) async throws {
    // However long pages are, unless that is a multiple of seven: one ends with a folder if they go by name, and amid a group if they
    // go by name and slash.
    let endings = [
      ("", true), ("-a", false), ("-b", true), ("-c", false), (".d", true), (".e", true), (".f", false),
    ]
    try await makeFolder(folder)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        if number >= 8 { try await group.next() }
        let (start, (ending, isFolder)) = (number / endings.count, endings[number % endings.count])
        let beginning = String(repeating: "0123456789abcdef", count: 4)
        let name = "\(folder)/\(beginning)\(start % 2 == 0 ? "group" : "Group")\(start)\(ending)"
        group.addTask { try await isFolder ? makeEntry(name) : backend.upload([1], to: path(name)) }
      }
      try await group.waitForAll()
    }
  }
}
