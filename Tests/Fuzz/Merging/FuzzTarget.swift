import ChangeTracking
import Foundation
import ObjectStore

/// libFuzzer's entry point. The bytes become sets with hostile meaning, and edits of two users. Both replicas merge all sets,
/// in different orders and batches, exchange what they made themselves, and must show the same then.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  do {
    var hostile = HostileSets(ByteChoices(bytes), in: FuzzStage.shared.scene)
    let histories = hostile.make()
    var choices = hostile.rest
    let plan = (choices.byte(), choices.byte(), choices.byte())
    var edits = (ByteChoices(choices.bytes(12)), ByteChoices(choices.bytes(12)))
    try FuzzStage.shared.perform(plan.2 & 1 == 0 ? .first : .renamed) { left, right in
      try deliver(histories, to: left, plan: plan.0, edits: &edits.0, upgrades: plan.2 & 2 != 0)
      try deliver(
        histories.reversed(), to: right, plan: plan.1, edits: &edits.1, upgrades: plan.2 & 4 != 0)
      try agree(left, right, onNames: !hostile.tellsLies)
    }
  } catch {
    fail("something was thrown that is no refusal: \(error)")
  }
  return 0
}

/// Hands over all histories, one after the other or by turns, set by set or together, with edits between.
///
/// - Parameter upgrades: whether the application gets its second version in the middle.
private func deliver(
  _ histories: [[ReceivedSet]], to device: FuzzDevice, plan: UInt8, edits: inout ByteChoices, upgrades: Bool
) throws {
  var sets: [ReceivedSet] = []
  if plan & 1 == 0 {
    sets = histories.flatMap(\.self)
  } else {
    for turn in 0..<(histories.map(\.count).max() ?? 0) {
      sets += histories.filter { $0.indices.contains(turn) }.map { $0[turn] }
    }
  }
  let size = [1, 2, sets.count, sets.count][Int(plan >> 1) & 3]
  for first in stride(from: 0, to: sets.count, by: max(1, size)) {
    if plan & 8 != 0 { try device.editSomething(&edits) }
    if plan & 16 != 0 { _ = try device.push() }
    try device.receive(Array(sets[first..<min(sets.count, first + max(1, size))]))
    if upgrades { try device.upgrade() }
  }
  try device.editSomething(&edits)
}

/// Lets both exchange what they have made themselves until there is nothing new, and compares what they show.
///
/// - Parameter onNames: whether what they show must be the same. Sets that lie about former names may be understood in either way.
private func agree(_ left: FuzzDevice, _ right: FuzzDevice, onNames: Bool) throws {
  // What is merged in a round may be said anew in the next, but not for ever.
  var seen = (left: 0, right: 0)
  for round in 0... {
    if round == 8 { fail("two replicas go on telling each other something new") }
    _ = try (left.push(), right.push())
    if seen == (left.pushed.count, right.pushed.count) { break }
    let (mine, theirs) = (left.pushed[seen.left...], right.pushed[seen.right...])
    seen = (left.pushed.count, right.pushed.count)
    try left.receive(Array(theirs))
    try right.receive(Array(mine))
  }
  if left.stopped.keys != right.stopped.keys {
    fail("only one of two replicas refused an author: \(left.stopped) \(right.stopped)")
  }
  // A bad set under the name of one of the two stops what that one had said itself before it took another name.
  guard Set(left.stopped.keys).isDisjoint(with: FuzzStage.shared.scene.authors) else { return }
  let (here, there) = try (Set(left.contents()), Set(right.contents()))
  guard onNames, here != there else { return }
  for (name, lines) in [("left", here.subtracting(there)), ("right", there.subtracting(here))] {
    for line in lines.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      FileHandle.standardError.write(Data("only \(name): ".utf8 + line + "\n".utf8))
    }
  }
  fail("two replicas that have merged the same show different things")
}

extension FuzzDevice {
  /// What a user may do to objects that came from anywhere.
  func editSomething(_ choices: inout ByteChoices) throws {
    let kind = choices.number(below: 8)
    let entity = choices.one(of: MergingModel.concrete)
    let (first, second) = (choices.number(below: 16), choices.number(below: 16))
    let called = version.name
    try edit { context in
      let items = try objects("Item")
      let all = try objects(entity)
      guard kind == 2 || !all.isEmpty else { return }
      switch kind {
      case 2:
        let object = try context.insert(entity: called(entity))
        if object.entity.index(of: called("title")) != nil {
          object[called("title")] = .string("\(name) \(first)")
        }
        if entity == "Tag" { object[called("name")] = .string(["red", "blue", "green"][first % 3]) }
        if entity == "Note" { object[called("code")] = .string(["red", "first", "\(name)"][second % 3]) }
      case 1: context.delete(all[first % all.count])
      case 0: all[first % all.count][called("title")] = .string("\(name) \(second)")
      case 3:
        guard !items.isEmpty else { return }
        items[first % items.count][called("votes")] = .integer(Int64(second))
        items[second % items.count].setTarget(items[first % items.count], called("parent"))
      case 4:
        guard !items.isEmpty else { return }
        items[first % items.count].setTarget(items[second % items.count], called("spouse"))
        items[second % items.count].setMembers(items, called("friends"))
      case 5:
        guard let folder = try objects("Folder").first else { return }
        folder.setMembers(folder.members(called("items")).reversed(), called("items"))
        folder.setMembers(items, called("queue"))
      case 6:
        guard let tag = try objects("Tag").first else { return }
        tag.setTarget(try objects("Note").last, called("emblem"))
        tag.setMembers(items, called("items"))
      default:
        let object = all[first % all.count]
        for property in object.entity.properties where property.name != SyncModelKey.syncID {
          if property.asAttribute?.type == .string { object[property.name] = .string("\(second)") }
        }
      }
    }
  }
}

/// Ends the run, and says why: a failed precondition of an optimised build says nothing.
func fail(_ reason: String) -> Never {
  FileHandle.standardError.write(Data("FAILED: \(reason)\n".utf8))
  preconditionFailure(reason)
}
