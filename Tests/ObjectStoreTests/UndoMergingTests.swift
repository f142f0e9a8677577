import ByteFixtures
import ObjectStore
import Testing

/// One context edits titles and folders, and takes its edits back; another saves stars, tags and new notes in between.
@Suite struct UndoMergingTests {
  /// What one context is to have said of each note, by key.
  private struct Mine: Equatable {
    var titles: [Int64: String] = [:]
    var folders: [Int64: Int] = [:]
  }

  private struct Theirs {
    var stars: [Int64: Int16] = [:]
    var tags: [Int64: Set<String>] = [:]
  }

  private struct Run {
    var random: SeededGenerator
    let fixture: TemporaryStore
    let context: ManagedObjectContext
    let other: ManagedObjectContext
    var folders: [ObjectID] = []
    var notes: [Int64: ObjectID] = [:]
    var mine = Mine()
    var theirs = Theirs()
    var past: [Mine] = []
    var future: [Mine] = []
    var history: [String] = []

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      fixture = try TemporaryStore()
      context = try fixture.store.newContext()
      other = try fixture.store.newContext()
      folders = try (0..<3).map { number in
        try other.insert(Folder.self) { $0.name = String(number) }
      }.map { folder in
        try other.save()
        return folder.objectID
      }
      for name in ["a", "b", "c"] { try other.insert(Tag.self) { $0.name = name } }
      for _ in 0..<4 { try insertElsewhere() }
      context.undoIsEnabled = true
    }

    var keys: [Int64] { notes.keys.sorted() }

    func note(_ key: Int64, in context: ManagedObjectContext) throws -> Note {
      let identifier = try #require(notes[key])
      return try #require(context.object(for: identifier) as? Note)
    }

    mutating func insertElsewhere() throws {
      let note = try other.insert(Note.self) { $0.title = "new" }
      try other.save()
      notes[note.objectID.key] = note.objectID
      theirs.stars[note.objectID.key] = 0
      history.append("other inserts \(note.objectID.key)")
    }

    mutating func editElsewhere() throws {
      other.mergePendingChanges()
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        guard let key = keys.randomElement(using: &random) else { return }
        let note = try note(key, in: other)
        let stars = Int16.random(in: 0...9, using: &random)
        note.stars = stars
        theirs.stars[key] = stars
        let tag = try #require(
          try other.fetch(FetchRequest<Tag>().sorted(by: \.name)).randomElement(using: &random))
        if note.$tags.contains(tag) { note.$tags.remove(tag) } else { note.$tags.insert(tag) }
        theirs.tags[key, default: []].formSymmetricDifference([tag.name])
        history.append("other sets \(key) to \(stars), \(tag.name)")
      }
      try other.save()
    }

    mutating func edit() throws {
      let (before, name) = (mine, "\(history.count)")
      let key = try #require(keys.randomElement(using: &random))
      let note = try note(key, in: context)
      let folder = Int.random(in: 0..<3, using: &random)
      let changesTitle = Bool.random(using: &random)
      try context.undoGroup(name) {
        if changesTitle {
          note.title = name
          mine.titles[key] = name
        } else {
          note.folder = try #require(context.object(for: folders[folder]) as? Folder)
          mine.folders[key] = folder
        }
      }
      history.append("edit \(key) \(changesTitle ? "title" : "folder \(folder)")")
      if context.undoName == name {
        past.append(before)
        future = []
      }
    }

    mutating func step() throws {
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<4: try edit()
      case 4..<6:
        guard let before = past.popLast() else { return }
        history.append("undo")
        #expect(context.undo().isEmpty)
        future.append(mine)
        mine = before
      case 6:
        guard let after = future.popLast() else { return }
        history.append("redo")
        #expect(context.redo().isEmpty)
        past.append(mine)
        mine = after
      case 7: try insertElsewhere()
      case 8, 9: try editElsewhere()
      case 10:
        history.append("merge")
        context.mergePendingChanges()
      default:
        history.append("save")
        try context.save()
      }
    }

    func compare(_ context: ManagedObjectContext) throws {
      context.mergePendingChanges()
      var members: [ObjectID: Set<Int64>] = [:]
      let seen = history.joined(separator: "\n")
      for key in keys {
        let note = try note(key, in: context)
        #expect(note.title == mine.titles[key] ?? "new", "\(key)\n\(seen)")
        #expect(note.folder?.objectID == mine.folders[key].map { folders[$0] }, "\(key)\n\(seen)")
        #expect(note.stars == theirs.stars[key], "\(key)\n\(seen)")
        #expect(Set(note.tags.map(\.name)) == theirs.tags[key] ?? [], "\(key)\n\(seen)")
        if let folder = mine.folders[key] { members[folders[folder], default: []].insert(key) }
      }
      for identifier in folders {
        let folder = try #require(context.object(for: identifier) as? Folder)
        #expect(Set(folder.notes.map(\.objectID.key)) == members[identifier] ?? [], "\(seen)")
      }
    }
  }

  @Test(arguments: 0..<60)
  func `steps are taken back and done again, and what others save in between stays`(seed: Int) throws {
    var run = try Run(seed: UInt64(seed))
    for _ in 0..<50 {
      try run.step()
      if Bool.random(using: &run.random) { try run.compare(run.context) }
    }
    try run.compare(run.context)
    try run.context.save()
    try run.compare(run.fixture.store.newContext())
    try run.fixture.check()
  }
}
