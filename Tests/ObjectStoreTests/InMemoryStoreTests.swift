import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// Stores without a file.
@Suite struct InMemoryStoreTests {
  private final class Picture: ManagedObject {
    @Attribute var name: String = ""
    @Attribute(externalStorage: true) var content: Data?
  }

  private let model: ManagedObjectModel

  init() throws { model = try ManagedObjectModel(Picture.self) }

  @Test func `all contexts of a store in memory see what one of them saves, and no other store does`()
    async throws
  {
    let store = try PersistentStore.inMemory(model: model)
    let other = try PersistentStore.inMemory(model: model)
    let context = try store.newContext()
    let picture = try context.insert(Picture.self) { $0.name = "a" }
    try context.save()

    let count = try await store.performBackground { context in
      try context.insert(Picture.self)
      try context.save()
      return try context.count(FetchRequest<Picture>())
    }

    #expect(count == 2)
    #expect(try context.fetch(Picture.self).count == 2)
    #expect(picture.objectID.key == 1 && store.uuid != other.uuid)
    #expect(try other.newContext().fetch(Picture.self).isEmpty)
  }

  @Test func `it makes no file, and long values are kept in their rows`() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: ".")
    let store = try PersistentStore(model: model, path: ":memory:")
    let long = Data(repeating: 7, count: 300_000)
    let context = try store.newContext()
    try context.insert(Picture.self) { $0.content = long }
    try context.save()

    #expect(try store.newContext().fetch(Picture.self).map(\.content) == [long])
    #expect(store.path == PersistentStore.memoryPath)
    #expect(try FileManager.default.contentsOfDirectory(atPath: ".") == before)
  }

  @Test func `it lives as long as the store, without any context`() throws {
    let store = try PersistentStore.inMemory(model: model)
    do {
      let context = try store.newContext()
      try context.insert(Picture.self)
      try context.save()
    }
    #expect(try store.newContext().count(FetchRequest<Picture>()) == 1)
  }

  @Test(arguments: [PersistentStore.Options.Access.readOnly, .readWrite])
  func `it is always made, so opening what must exist is refused`(access: PersistentStore.Options.Access)
    throws
  {
    let error = #expect(throws: StoreError.self) {
      try PersistentStore.inMemory(model: model, options: .init(access: access))
    }
    guard case .missing? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `writers of several tasks wait for one another`() async throws {
    let store = try PersistentStore.inMemory(model: model)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<20 {
            try await store.performBackground { context in
              try context.insert(Picture.self)
              try context.save()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.newContext().count(FetchRequest<Picture>()) == 160)
  }
}
