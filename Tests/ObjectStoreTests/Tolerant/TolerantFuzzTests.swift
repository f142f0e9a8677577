import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// Whatever is damaged: what lies elsewhere is read as it was, and what is not read is told.
@Suite struct TolerantFuzzTests {
  private let library: TolerantLibrary
  private let original: [UInt8]
  private let objects: [StoredObject]
  /// Where the row of each object lies.
  private let footprints: [StoredObject.Reference: PageFootprint.Row]
  /// The pages that say what the tables and entities are.
  private let schemaPages: Set<Int>
  private let linkPages: Set<Int>

  init() throws {
    library = try TolerantLibrary()
    original = try library.bytes()
    objects = try StoreFile(path: library.path).objects().allObjects()
    let connection = try Connection(path: library.path)
    let roots = try connection.prepare("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'")
    let footprint = PageFootprint(original)
    var rows: [String: [Int64: PageFootprint.Row]] = [:]
    var schemaPages = footprint.pages(root: 1)
    var linkPages: Set<Int> = []
    while try roots.step() {
      let (name, root) = (roots.text(0), Int(roots.int64(1)))
      rows[name] = Dictionary(uniqueKeysWithValues: footprint.rows(root: root).map { ($0.number, $0) })
      if name == "Z_PRIMARYKEY" { schemaPages.formUnion(footprint.pages(root: root)) }
      if name.contains("TAGS") { linkPages = footprint.pages(root: root) }
    }
    (self.schemaPages, self.linkPages) = (schemaPages, linkPages)
    var footprints: [StoredObject.Reference: PageFootprint.Row] = [:]
    for object in objects {
      let table = "Z" + library.model.entities[object.reference.entity].root.name.uppercased()
      footprints[object.reference] = rows[table]?[object.reference.key]
    }
    self.footprints = footprints
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `what is not damaged is read as it was, and what is not read is told`(part: UInt64) throws {
    #expect(footprints.count == objects.count && !linkPages.isEmpty)
    for seed in part * 30..<part * 30 + 30 {
      var random = SeededGenerator(seed: seed)
      var bytes = original
      RandomDamage.apply(to: &bytes, using: &random)
      try Data(bytes).write(to: URL(filePath: library.path))
      try check(bytes, "seed \(seed)")
    }
  }

  private func check(_ bytes: [UInt8], _ seed: Comment) throws {
    let damage = Damage(original, bytes)
    let store: TolerantStore
    do {
      store = try TolerantStore(path: library.path, model: library.model)
    } catch {
      #expect(damage.hits(pages: schemaPages), seed)
      return
    }
    let read = try store.allObjects()
    let omissions = store.omissions
    #expect(read.count <= objects.count + bytes.count / 20, seed)
    let shown = Dictionary(read.map { ($0.reference, $0) }) { first, _ in first }
    if objects.contains(where: { shown[$0.reference].map { !$0.unread.isEmpty } ?? true }) {
      #expect(!omissions.isEmpty, seed)
    }
    if damage.hits(pages: schemaPages) { return }

    // Of pages in each other's place SQLite finds rows in the wrong order; of those some are left out, and that is told.
    let isInDisorder = omissions.contains { $0.reason.contains("out of order") }
    let untouched = Set(objects.map(\.reference).filter { !damage.hits(pages: footprints[$0]?.pages ?? []) })
    for object in objects {
      let reference = object.reference
      let found = shown[reference]
      if untouched.contains(reference) {
        let isWhole = found?.unread.isEmpty == true
        #expect(isWhole || isInDisorder, "\(seed): \(reference)")
      }
      guard let found, let footprint = footprints[reference], !damage.hits(footprint.bytes) else { continue }
      for (index, value) in object.attributes.enumerated() where !found.unread.contains(index) {
        #expect(found.attributes[index] == value, "\(seed): \(reference) \(index)")
      }
      let sound = isInDisorder ? untouched.filter { shown[$0] != nil } : untouched
      compare(object, found, sound, damage, "\(seed): \(reference)")
    }
  }

  private func compare(
    _ object: StoredObject, _ found: StoredObject, _ untouched: Set<StoredObject.Reference>, _ damage: Damage,
    _ place: Comment
  ) {
    let entity = library.model.entities[object.reference.entity]
    for (offset, links) in object.relationships.enumerated() {
      guard let relationship = entity.relationship(at: entity.attributeCount + offset) else { continue }
      let shown = found.relationships[offset]
      if found.unread.contains(entity.attributeCount + offset) { continue }
      if !relationship.isToMany {
        // Which entity a target belongs to stands in the target.
        #expect(shown.map(\.key) == links.map(\.key), place)
      } else if relationship.inverseIsToMany, damage.hits(pages: linkPages) {
        continue
      } else {
        let sound = links.filter(untouched.contains)
        #expect(shown.filter(untouched.contains) == sound, place)
      }
    }
  }

  /// Which bytes of a file were changed or cut off.
  private struct Damage {
    /// How many before each byte.
    private let counts: [Int]

    init(_ original: [UInt8], _ bytes: [UInt8]) {
      var counts = [0]
      counts.reserveCapacity(original.count + 1)
      var count = 0
      for index in 0..<original.count {
        if index >= bytes.count || original[index] != bytes[index] { count += 1 }
        counts.append(count)
      }
      self.counts = counts
    }

    func hits(_ ranges: [Range<Int>]) -> Bool {
      ranges.contains { counts[$0.lowerBound] != counts[$0.upperBound] }
    }

    func hits(pages: Set<Int>) -> Bool {
      pages.contains { counts[($0 - 1) * 4_096] != counts[$0 * 4_096] }
    }
  }
}
