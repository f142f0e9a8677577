import Foundation
import ObjectStore
import TICDSSQLite

/// What the object store costs over bare SQLite: the same work on the same tables, both with prepared statements.
final class StoreBenchmark {
  final class Item: ManagedObject {
    @Attribute(indexed: true) var name: String = ""
    @Attribute var text: String?
    @Attribute var count: Int = 0
    @Attribute var price: Double = 0
    @Attribute var created: Date?
    @Attribute var isDone: Bool = false
  }

  final class Parent: ManagedObject {
    @Attribute var name: String = ""
    @ToMany(inverse: \Child.parent) var children: Set<Child>
  }

  final class Child: ManagedObject {
    @Attribute var number: Int = 0
    @ToOne var parent: Parent?
  }

  private let folder: URL
  private let model: ManagedObjectModel
  private let count: Int
  private let parents: Int
  private let batchRows: Int
  private let names: [String]
  private let texts: [String]
  private var next = 0
  private let clock = ContinuousClock()
  // Keeps the compiler from leaving out what is only read.
  private var sum = 0

  init(scale: Double) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "ticds-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    model = try ManagedObjectModel(Item.self, Parent.self, Child.self)
    let count = Int(100_000 * scale)
    self.count = count
    parents = Int(1_000 * scale)
    batchRows = Int(1_000_000 * scale)
    // Names do not come in the order of the index.
    names = (0..<count).map { "item \($0 &* 7_919 % count)" }
    texts = (0..<count).map { "a text of more than fifteen bytes, number \($0)" }
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Takes the measures that are asked for; all of them if none is.
  func run(_ only: Set<String>) throws -> [Measure] {
    func wants(_ id: String) -> Bool { only.isEmpty || only.contains(id) }
    // The one that needs a clean process is taken first and listed last.
    let memory = wants("batch_memory") ? [try batchMemory()] : []
    var measures: [Measure] = []
    if wants("insert") {
      measures.append(try .alternating("insert", count: count, bare: bareInsert, store: storeInsert))
    }
    let onItems: [(String, (PersistentStore) throws -> Duration, (PersistentStore) throws -> Duration)] = [
      ("fetch", bareFetch, storeFetch), ("update", bareUpdate, storeUpdate),
      ("lookup", bareLookup, storeLookup),
    ]
    let wanted = onItems.filter { wants($0.0) }
    let filled = wanted.isEmpty ? nil : try filledStore()
    for (id, bare, store) in wanted {
      guard let filled else { break }
      measures.append(
        try .alternating(id, count: count, bare: { try bare(filled) }, store: { try store(filled) }))
    }
    if wants("walk") {
      let family = try familyStore()
      measures.append(
        try .alternating(
          "walk", count: parents * 100, bare: { try bareWalk(family) }, store: { try storeWalk(family) }))
    }
    if wants("open_ms") { measures += try StoreOpenBenchmark(in: folder).run() }
    return measures + memory
  }

  private func newStore() throws -> PersistentStore {
    next += 1
    return try PersistentStore(
      model: model, path: folder.appending(path: "\(next).sqlite").path(percentEncoded: false))
  }

  // MARK: - Insert

  private func bareInsert() throws -> Duration {
    let connection = try newStore().newConnection()
    return try clock.measure {
      try connection.transaction {
        let statement = try connection.prepare(
          """
          INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZCOUNT, ZCREATED, ZISDONE, ZNAME, ZPRICE, ZTEXT) \
          VALUES (?, 2, 1, ?, ?, ?, ?, ?, ?)
          """)
        for index in 0..<count {
          try statement.bind(Int64(index + 1), at: 1)
          try statement.bind(Int64(index), at: 2)
          try statement.bind(Double(index) + 0.5, at: 3)
          try statement.bind(Int64(index & 1), at: 4)
          try statement.bind(names[index], at: 5)
          try statement.bind(Double(index) * 0.25, at: 6)
          try statement.bind(texts[index], at: 7)
          _ = try statement.step()
        }
      }
    }
  }

  private func storeInsert() throws -> Duration {
    let context = try newStore().newContext()
    return try clock.measure { try fill(context) }
  }

  private func fill(_ context: ManagedObjectContext) throws {
    for index in 0..<count {
      let item = try context.insert(Item.self)
      item.name = names[index]
      item.text = texts[index]
      item.count = index
      item.price = Double(index) * 0.25
      item.created = Date(timeIntervalSinceReferenceDate: Double(index) + 0.5)
      item.isDone = index & 1 == 1
    }
    try context.save()
  }

  private func filledStore() throws -> PersistentStore {
    let store = try newStore()
    try fill(store.newContext())
    return store
  }

  // MARK: - Fetch

  private func bareFetch(_ store: PersistentStore) throws -> Duration {
    let connection = try store.newConnection()
    return try clock.measure {
      let statement = try connection.prepare("SELECT ZNAME, ZCOUNT FROM ZITEM")
      while try statement.step() { sum &+= statement.text(0).utf8.count &+ Int(statement.int64(1)) }
    }
  }

  private func storeFetch(_ store: PersistentStore) throws -> Duration {
    let context = try store.newContext()
    return try clock.measure {
      for item in try context.fetch(Item.self) { sum &+= item.name.utf8.count &+ item.count }
    }
  }

  // MARK: - Update

  private func bareUpdate(_ store: PersistentStore) throws -> Duration {
    let connection = try store.newConnection()
    return try clock.measure {
      try connection.transaction {
        let statement = try connection.prepare(
          "UPDATE ZITEM SET Z_OPT = Z_OPT + 1, ZCOUNT = ? WHERE Z_PK = ?")
        for index in 0..<count {
          try statement.bind(Int64(index &+ 1), at: 1)
          try statement.bind(Int64(index &+ 1), at: 2)
          _ = try statement.step()
        }
      }
    }
  }

  private func storeUpdate(_ store: PersistentStore) throws -> Duration {
    let context = try store.newContext()
    let items = try context.fetch(Item.self)
    return try clock.measure {
      for item in items { item.count &+= 1 }
      try context.save()
    }
  }

  // MARK: - Lookup

  private func bareLookup(_ store: PersistentStore) throws -> Duration {
    let connection = try store.newConnection()
    return try clock.measure {
      let statement = try connection.prepare("SELECT ZNAME, ZCOUNT FROM ZITEM WHERE ZNAME = ?")
      for name in names {
        try statement.bind(name, at: 1)
        if try statement.step() { sum &+= statement.text(0).utf8.count &+ Int(statement.int64(1)) }
        statement.reset()
      }
    }
  }

  private func storeLookup(_ store: PersistentStore) throws -> Duration {
    let context = try store.newContext()
    return try clock.measure {
      for name in names {
        if let item = try context.first(Item.self, where: \.name == name) {
          sum &+= item.name.utf8.count &+ item.count
        }
      }
    }
  }

  // MARK: - Walk

  private func familyStore() throws -> PersistentStore {
    let store = try newStore()
    let context = try store.newContext()
    for number in 0..<parents {
      let parent = try context.insert(Parent.self)
      parent.name = "parent \(number)"
      for child in 0..<100 {
        let object = try context.insert(Child.self)
        object.number = child
        object.parent = parent
      }
    }
    try context.save()
    return store
  }

  private func bareWalk(_ store: PersistentStore) throws -> Duration {
    let connection = try store.newConnection()
    return try clock.measure {
      let statement = try connection.prepare(
        "SELECT p.Z_PK, c.Z_PK, c.ZNUMBER FROM ZPARENT p JOIN ZCHILD c ON c.ZPARENT = p.Z_PK")
      while try statement.step() { sum &+= Int(statement.int64(2)) }
    }
  }

  private func storeWalk(_ store: PersistentStore) throws -> Duration {
    let context = try store.newContext()
    return try clock.measure {
      for parent in try context.fetch(FetchRequest<Parent>().prefetching(\.children)) {
        for child in parent.$children { sum &+= child.number }
      }
    }
  }

  // MARK: - Memory

  private func batchMemory() throws -> Measure {
    let store = try newStore()
    let connection = try store.newConnection()
    try connection.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZCOUNT, ZISDONE, ZNAME, ZPRICE, ZTEXT)
      SELECT i, 2, 1, i, 0, 'item ' || i, i * 0.25, 'a text of more than fifteen bytes, number ' || i FROM n
      """, .integer(Int64(batchRows)))
    let statement = try connection.prepare("SELECT ZNAME, ZCOUNT FROM ZITEM")
    while try statement.step() { sum &+= statement.text(0).utf8.count &+ Int(statement.int64(1)) }
    let baseline = Self.residentMegabytes()

    let context = try store.newContext()
    var peak = 0.0
    for (position, item) in try context.fetchBatched(FetchRequest<Item>(), size: 1_000).enumerated() {
      sum &+= item.name.utf8.count &+ item.count
      if position % 10_000 == 0 { peak = max(peak, Self.residentMegabytes()) }
    }
    return Measure(
      id: "batch_memory", value: max(peak, Self.residentMegabytes()), unit: "MB", baseline: baseline)
  }

  /// Memory of the process, from `/proc`; 0 where there is none.
  private static func residentMegabytes() -> Double {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
      let kilobytes = line.split(separator: " ").compactMap({ Double($0) }).first
    else { return 0 }
    return kilobytes / 1_024
  }
}
