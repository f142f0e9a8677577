import Foundation
import ObjectStore
import Testing

/// What is derived over several steps, or again and again.
@Suite struct DerivedChainTests {
  private func context(_ entities: [EntityDeclaration]) throws -> (ManagedObjectContext, TemporaryStore) {
    let fixture = try TemporaryStore(ManagedObjectModel(entities: entities))
    return (try fixture.store.newContext(), fixture)
  }

  /// Calls `check` with the objects as they are in memory, and as a context reads them that has seen nothing.
  private func inMemoryAndStored(
    _ object: ManagedObject, of fixture: TemporaryStore, _ check: (ManagedObject) throws -> Void
  ) throws {
    try check(object)
    let other = try fixture.store.newContext()
    try check(try #require(other.object(for: object.objectID)))
  }

  @Test func `a path of several steps follows what changes at its end and on its way`() throws {
    let (context, fixture) = try context([
      EntityDeclaration(
        "Page", attributes: [.init("title", .string, derivation: "uppercase:(chapter.book.title)")],
        relationships: [.toOne("chapter", to: "Chapter", inverse: "pages")]),
      EntityDeclaration(
        "Chapter",
        relationships: [
          .toMany("pages", to: "Page", inverse: "chapter"),
          .toOne("book", to: "Book", inverse: "chapters"),
        ]),
      EntityDeclaration(
        "Book", attributes: [.init("title", .string)],
        relationships: [.toMany("chapters", to: "Chapter", inverse: "book")]),
    ])
    let (page, chapter) = (try context.insert(entity: "Page"), try context.insert(entity: "Chapter"))
    let books = [try context.insert(entity: "Book"), try context.insert(entity: "Book")]
    books[0]["title"] = .string("one")
    books[1]["title"] = .string("two")
    page.setTarget(chapter, "chapter")
    chapter.setTarget(books[0], "book")
    try context.save()
    try inMemoryAndStored(page, of: fixture) { #expect($0["title"] == .string("ONE")) }

    books[0]["title"] = .string("first")
    try context.save()
    try inMemoryAndStored(page, of: fixture) { #expect($0["title"] == .string("FIRST")) }

    chapter.setTarget(books[1], "book")
    try context.save()
    try inMemoryAndStored(page, of: fixture) { #expect($0["title"] == .string("TWO")) }

    context.delete(books[1])
    try context.save()
    try inMemoryAndStored(page, of: fixture) { #expect($0["title"] == .null) }
  }

  @Test func `what is derived from a derived value follows it, also within one table`() throws {
    let (context, fixture) = try context([
      EntityDeclaration(
        "Node",
        attributes: [
          .init("size", .integer32),
          .init("inner", .integer64, derivation: "nodes.@sum.size"),
          .init("outer", .integer64, derivation: "nodes.@sum.inner"),
          .init("saved", .date, derivation: "now:()"),
          .init("lastSaved", .date, derivation: "nodes.@max.saved"),
        ],
        relationships: [
          .toMany("nodes", to: "Node", inverse: "parent"), .toOne("parent", to: "Node", inverse: "nodes"),
        ])
    ])
    var time = 10.0
    context.now = { Date(timeIntervalSinceReferenceDate: time) }
    let nodes = try (0..<4).map { number in
      let node = try context.insert(entity: "Node")
      node["size"] = .integer(Int64(number))
      return node
    }
    nodes[1].setTarget(nodes[0], "parent")
    nodes[2].setTarget(nodes[1], "parent")
    nodes[3].setTarget(nodes[1], "parent")
    try context.save()
    try inMemoryAndStored(nodes[0], of: fixture) {
      #expect($0["inner"] == .integer(1) && $0["outer"] == .integer(5) && $0["lastSaved"] == .date(10))
    }

    time = 20
    nodes[3]["size"] = .integer(7)
    try context.save()
    try inMemoryAndStored(nodes[0], of: fixture) {
      #expect($0["inner"] == .integer(1) && $0["outer"] == .integer(9) && $0["lastSaved"] == .date(20))
    }

    nodes[2].setTarget(nodes[0], "parent")
    try context.save()
    try inMemoryAndStored(nodes[0], of: fixture) {
      #expect($0["inner"] == .integer(3) && $0["outer"] == .integer(7))
    }
  }

  @Test(arguments: [AttributeType.double, .decimal])
  func `a sum is what is there, whatever great numbers have come and gone`(type: AttributeType) throws {
    func number(_ value: Double) -> AttributeValue {
      type == .double ? .double(value) : .decimal(Decimal(value))
    }
    let (context, fixture) = try context([
      EntityDeclaration(
        "Account", attributes: [.init("total", type, derivation: "rows.@sum.amount")],
        relationships: [.toMany("rows", to: "Row", inverse: "account")]),
      EntityDeclaration(
        "Row", attributes: [.init("amount", type)],
        relationships: [.toOne("account", to: "Account", inverse: "rows")]),
    ])
    let account = try context.insert(entity: "Account")
    let rows = try [1e18, 0.25].map { amount in
      let row = try context.insert(entity: "Row")
      row["amount"] = number(amount)
      row.setTarget(account, "account")
      return row
    }
    try context.save()

    context.delete(rows[0])
    try context.save()

    try inMemoryAndStored(account, of: fixture) { #expect($0["total"] == number(0.25)) }
  }

  @Test func `a sum is of all rows, also of those that another context has changed meanwhile`() throws {
    let (context, fixture) = try context([
      EntityDeclaration(
        "Account", attributes: [.init("total", .double, derivation: "rows.@sum.amount")],
        relationships: [.toMany("rows", to: "Row", inverse: "account")]),
      EntityDeclaration(
        "Row", attributes: [.init("amount", .double)],
        relationships: [.toOne("account", to: "Account", inverse: "rows")]),
    ])
    let account = try context.insert(entity: "Account")
    let rows = try [1.5, 2.5].map { amount in
      let row = try context.insert(entity: "Row")
      row["amount"] = .double(amount)
      row.setTarget(account, "account")
      return row
    }
    try context.save()
    let other = try fixture.store.newContext()
    other.mergePolicy = .objectWins
    other.mergesChangesAutomatically = false
    let theirs = try rows.map { try #require(other.object(for: $0.objectID)) }
    #expect(theirs.map { $0["amount"] } == [.double(1.5), .double(2.5)])
    let theirAccount = try #require(other.object(for: account.objectID))
    #expect(theirAccount["total"] == .double(4) && theirAccount.members("rows").count == 2)

    rows[0]["amount"] = .double(10)
    try context.save()
    theirs[1]["amount"] = .double(20)
    try other.save()

    let third = try fixture.store.newContext()
    #expect(try #require(third.object(for: account.objectID))["total"] == .double(30))
  }

  @Test func `numbers close to zero have decimals as their sum and average`() throws {
    let (context, fixture) = try context([
      EntityDeclaration(
        "Account",
        attributes: [
          .init("total", .decimal, derivation: "rows.@sum.amount"),
          .init("mean", .decimal, derivation: "rows.@avg.amount"),
        ],
        relationships: [.toMany("rows", to: "Row", inverse: "account")]),
      EntityDeclaration(
        "Row", attributes: [.init("amount", .double)],
        relationships: [.toOne("account", to: "Account", inverse: "rows")]),
    ])
    let accounts = try [[1e-120, 1e-120], [1e-127, 2e-127, 3e-128], [.leastNonzeroMagnitude], [-0.3]].map {
      amounts in
      let account = try context.insert(entity: "Account")
      for amount in amounts {
        let row = try context.insert(entity: "Row")
        row["amount"] = .double(amount)
        row.setTarget(account, "account")
      }
      return account
    }

    try context.save()

    let totals = ["2e-120", "3.3e-127", "0", "-0.3"].map { Decimal(string: $0).map(AttributeValue.decimal) }
    #expect(accounts.map { $0["total"] } == totals)
    #expect(accounts[1]["mean"] == Decimal(string: "1.1e-127").map(AttributeValue.decimal))
    for (account, total) in zip(accounts, totals) {
      try inMemoryAndStored(account, of: fixture) { #expect($0["total"] == total) }
    }
  }
}
