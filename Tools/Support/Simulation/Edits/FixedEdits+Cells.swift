import Foundation
import ObjectStore

/// Edits of ordered relationships, and of properties that are merged otherwise than by the latest write.
extension SimulatedClient {
  func editShelf(using random: inout SeededRandomSource) throws {
    let name = "shelf \(Int.random(in: 0..<3, using: &random))"
    guard let shelf = try context.first(SimulatedShelf.self, where: \.name == name) else {
      let shelf = try context.insert(SimulatedShelf.self)
      shelf.name = name
      if Bool.random(using: &random) { shelf.uses += 1 }
      return
    }
    guard let item = try any(SimulatedItem.self, using: &random) else { return }
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: insert(item, into: &shelf.row, using: &random)
    case 2: insert(item, into: &shelf.stack, using: &random)
    case 3: insert(item, into: &shelf.queue, using: &random)
    case 4: insert(shelf, into: &item.queues, using: &random)
    case 5, 6:
      switch Int.random(in: 0..<3, using: &random) {
      case 0: shelf.row.removeAll { $0 === item }
      case 1: shelf.stack.removeAll { $0 === item }
      default: shelf.queue.removeAll { $0 === item }
      }
    case 7:
      Bool.random(using: &random) ? shelf.row.shuffle(using: &random) : shelf.queue.shuffle(using: &random)
    default:
      if Int.random(in: 0..<4, using: &random) == 0 { context.delete(shelf) } else { item.shelf = shelf }
    }
  }

  /// Puts a member anywhere into a list, or moves it there.
  private func insert<Member: ManagedObject>(
    _ member: Member, into list: inout [Member], using random: inout SeededRandomSource
  ) {
    var members = list.filter { $0 !== member }
    members.insert(member, at: Int.random(in: 0...members.count, using: &random))
    list = members
  }

  func editFoldedValue(using random: inout SeededRandomSource) throws {
    guard let item = try any(SimulatedItem.self, using: &random) else { return }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: item.votes += Int64.random(in: -3...3, using: &random)
    case 2: item.balance = (item.balance ?? 0) + Double.random(in: -1...1, using: &random)
    case 3:
      item.seen = Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<1_000, using: &random)))
    case 4: item.record = Bool.random(using: &random) ? nil : Int64.random(in: 0..<1_000, using: &random)
    case 5:
      item.start = Int64.random(in: 0..<100, using: &random)
      item.end = item.start.map { $0 + 1 }
    case 6: item.end = Bool.random(using: &random) ? nil : Int64.random(in: 0..<100, using: &random)
    default: try any(SimulatedShelf.self, using: &random)?.uses += 1
    }
  }
}
