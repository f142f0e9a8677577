import Foundation
import ObjectStore
import TICDSSQLite
import Testing

@Suite struct HookTests {
  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  final class Task: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var priority: Int16 = 0
    @Attribute var changes: Int32 = 0
    @Attribute(validation: AttributeValidation(maximum: .integer(10))) var effort: Int16 = 1
    @ToOne(inverse: \Plan.tasks) var plan: Plan?
    @ToMany(maximumCount: 2) var helpers: Set<Helper>
    /// What happened, in order.
    var calls: [String] = []

    override class var valueChecks: [ValueCheck] {
      super.valueChecks + [
        ValueCheck(\Task.name) { if $0.hasPrefix(" ") { throw Mistake(description: "begins with a space") } },
        ValueCheck(\Task.helpers) { helpers in
          if helpers.contains(where: { $0.name == "nobody" }) { throw Mistake(description: "has nobody") }
        },
      ]
    }

    override func awakeFromInsert() {
      calls.append("awakeFromInsert")
      name = "new"
    }
    override func awakeFromFetch() { calls.append("awakeFromFetch") }
    override func willSave() {
      calls.append("willSave")
      changes += 1
      plan?.edits += 1
    }
    override func didSave() { calls.append("didSave") }
    override func prepareForDeletion() { calls.append("prepareForDeletion in \(plan?.name ?? "no plan")") }
    override func validateForInsert() throws { try validate() }
    override func validateForUpdate() throws { try validate() }
    override func validateForDelete() throws {
      if priority > 8 { throw Mistake(description: "is too important to go") }
    }
    private func validate() throws {
      if priority > 5, plan == nil { throw Mistake(description: "is important and in no plan") }
    }
  }

  final class Plan: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var edits: Int32 = 0
    @ToMany(deleteRule: .cascade) var tasks: Set<Task>
    var saves = 0

    override func willSave() {
      saves += 1
      // An object that is first seen while hooks run.
      if name == "asks for a task" {
        name = "has one"
        _ = try? context?.insert(Task.self) { $0.plan = self }
      }
    }
  }

  final class Helper: ManagedObject {
    @Attribute var name: String = ""
  }

  private func store() throws -> TemporaryStore {
    try TemporaryStore(ManagedObjectModel(Task.self, Plan.self, Helper.self))
  }

  @Test func `an object is told of its insertion once, and of each save before and after`() throws {
    let fixture = try store()
    let context = try fixture.store.newContext()
    let task = try context.insert(Task.self)
    #expect(task.calls == ["awakeFromInsert"] && task.name == "new")
    try context.save()
    #expect(task.calls == ["awakeFromInsert", "willSave", "didSave"])
    try context.save()
    #expect(task.calls.count == 3)
    task.name = "a"
    try context.save()
    #expect(task.calls.suffix(2) == ["willSave", "didSave"] && task.calls.count == 5)
    task.helpers = [try context.insert(Helper.self)]
    try context.save()
    #expect(task.calls.suffix(2) == ["willSave", "didSave"] && task.calls.count == 7)
  }

  @Test func `what hooks change is saved with the rest, and has its own turn`() throws {
    let fixture = try store()
    let context = try fixture.store.newContext()
    let plan = try context.insert(Plan.self) { $0.name = "plan" }
    let task = try context.insert(Task.self) { $0.plan = plan }
    try context.save()
    #expect(task.changes == 1 && plan.edits == 1)
    task.name = "b"
    plan.saves = 0
    try context.save()
    #expect(plan.saves == 1)
    plan.name = "asks for a task"
    try context.save()

    let other = try fixture.store.newContext()
    let found = try #require(try other.fetch(Plan.self).first)
    #expect(found.name == "has one" && found.edits == 3)
    #expect(found.tasks.map(\.changes).sorted() == [1, 2])
    try fixture.check()
  }

  @Test func `a save that fails is not reported as done`() throws {
    let fixture = try store()
    let context = try fixture.store.newContext()
    let task = try context.insert(Task.self) { $0.effort = 11 }
    #expect(throws: SaveError.self) { try context.save() }
    #expect(task.calls == ["awakeFromInsert", "willSave"])
  }

  @Test func `an object that is deleted is told while it has its relationships, cascades too`() throws {
    let fixture = try store()
    let context = try fixture.store.newContext()
    let plan = try context.insert(Plan.self) { $0.name = "plan" }
    let task = try context.insert(Task.self) { $0.plan = plan }
    let lone = try context.insert(Task.self)
    try context.save()
    task.calls = []
    lone.calls = []
    context.delete(lone)
    context.delete(plan)
    try context.save()
    #expect(lone.calls == ["prepareForDeletion in no plan", "willSave", "didSave"])
    #expect(task.calls.first?.hasPrefix("prepareForDeletion") == true && task.calls.count == 3)
  }

  @Test func `only a user's insertion is told: not a row's, an undone deletion's or a child's save`() throws {
    let fixture = try store()
    let context = try fixture.store.newContext()
    let entity = try #require(fixture.store.model.entity(for: Task.self)).index
    let editor = RowEditor(schema: fixture.store.schema, connection: context.connection)
    let key = try editor.allocateKeys(entity)
    try editor.insert(entity, key: key, [])
    let fetched = try #require(try context.fetch(Task.self).first)
    #expect(fetched.calls == ["awakeFromFetch"])

    context.undoIsEnabled = true
    context.delete(fetched)
    try context.save()
    fetched.calls = []
    context.undo()
    #expect(fetched.isInserted && fetched.calls.isEmpty)
    try context.save()
    #expect(fetched.calls == ["willSave", "didSave"])

    let child = context.makeChild()
    let task = try child.insert(Task.self)
    try child.save()
    #expect(task.calls == ["awakeFromInsert", "willSave", "didSave"])
    let received = try #require(context.object(for: task.objectID) as? Task)
    #expect(received.calls.isEmpty && received.name == "new")
    try context.save()
    #expect(received.calls == ["willSave", "didSave"])
  }

  @Test func `all that hooks, checks, ranges and counts refuse is reported together`() throws {
    let fixture = try store()
    let context = try fixture.store.newContext()
    let guarded = try context.insert(Task.self) { $0.priority = 5 }
    try context.save()
    guarded.priority = 9
    guarded.plan = try context.insert(Plan.self)
    try context.save()
    context.delete(guarded)
    try context.insert(Task.self) {
      $0.name = " a"
      $0.effort = 11
      $0.priority = 6
    }
    let crowded = try context.insert(Task.self)
    let names = ["nobody", "b", "c"]
    crowded.helpers = Set(try names.map { name in try context.insert(Helper.self) { $0.name = name } })

    let error = #expect(throws: SaveError.self) { try context.save() }

    let reasons = (error?.problems ?? []).map { problem in
      switch problem {
      case .invalidValue(_, let property, let reason): "\(property) \(reason)"
      case .invalidCount(_, let property, let count): "\(property) \(count)"
      case .refused(_, let reason): reason
      default: "\(problem)"
      }
    }
    #expect(
      reasons.sorted() == [
        "effort is greater than admitted", "helpers 3", "helpers has nobody", "is important and in no plan",
        "is too important to go", "name begins with a space",
      ])
  }

  @Test func `a check runs only for what was set`() throws {
    let fixture = try store()
    let context = try fixture.store.newContext()
    let task = try context.insert(Task.self)
    try context.save()
    try context.connection.run("UPDATE ZTASK SET ZNAME = ' odd'")
    context.refreshAll()
    task.priority = 1
    try context.save()
    #expect(task.name == " odd")
    task.name = " odder"
    #expect(throws: SaveError.self) { try context.save() }
  }
}
