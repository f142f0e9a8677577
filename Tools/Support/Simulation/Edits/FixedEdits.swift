import Foundation
import ObjectStore

/// Edits of the fixed model.
extension SimulatedClient {
  /// One unit of work of a user: a few random edits, then a save or, now and then, a rollback.
  func editFixed(using random: inout SeededRandomSource) throws {
    context.mergePendingChanges()
    for _ in 0..<Int.random(in: 1...4, using: &random) { try editOnce(using: &random) }
    if Int.random(in: 0..<12, using: &random) == 0 { context.rollback() } else { try context.save() }
  }

  /// Objects that a program without a recorder adds.
  func editFixedElsewhere(using random: inout SeededRandomSource) throws {
    let elsewhere = try store.newContext()
    elsewhere.usesStoreParticipants = false
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let number = Int.random(in: 0..<4, using: &random)
      if Bool.random(using: &random) {
        try elsewhere.insert(SimulatedLabel.self).name = "label \(number)"
      } else {
        let item = try elsewhere.insert(SimulatedItem.self)
        item.text = "elsewhere \(number)"
        let folders = try elsewhere.fetch(FetchRequest<SimulatedFolder>())
        item.folder = folders.sorted { Self.identifier($0) < Self.identifier($1) }.randomElement(
          using: &random)
      }
    }
    try elsewhere.save()
  }

  func any<Object: ManagedObject>(_ type: Object.Type, using random: inout SeededRandomSource) throws
    -> Object?
  {
    // In the order of sync IDs, so that a run is reproducible whatever the order of rows.
    let objects = try context.fetch(FetchRequest<Object>()).filter { !$0.isDeleted }
    return objects.sorted { Self.identifier($0) < Self.identifier($1) }.randomElement(using: &random)
  }

  private func editOnce(using random: inout SeededRandomSource) throws {
    switch Int.random(in: 0..<28, using: &random) {
    case 0...3:
      let item = try context.insert(SimulatedItem.self)
      item.text = "text \(Int.random(in: 0..<1_000, using: &random))"
      item.folder = try any(SimulatedFolder.self, using: &random)
    case 4:
      let folder = try context.insert(SimulatedFolder.self)
      folder.name = "folder \(Int.random(in: 0..<100, using: &random))"
    case 5, 6:
      let name = "label \(Int.random(in: 0..<4, using: &random))"
      if try context.first(SimulatedLabel.self, where: \.name == name) == nil {
        try context.insert(SimulatedLabel.self).name = name
      }
    case 7...9: try editValue(using: &random)
    case 10: try any(SimulatedItem.self, using: &random)?.folder = any(SimulatedFolder.self, using: &random)
    case 11: try any(SimulatedItem.self, using: &random)?.folder = nil
    case 12, 13:
      if let item = try any(SimulatedItem.self, using: &random),
        let label = try any(SimulatedLabel.self, using: &random)
      {
        if item.labels.contains(label) { item.labels.remove(label) } else { item.labels.insert(label) }
      }
    case 14:
      if let item = try any(SimulatedItem.self, using: &random),
        let other = try any(SimulatedItem.self, using: &random)
      {
        if item.references.contains(other) {
          item.references.remove(other)
        } else {
          item.references.insert(other)
        }
      }
    case 15, 16:
      try any(SimulatedLabel.self, using: &random)?.emblem = try any(SimulatedItem.self, using: &random)
    case 17:
      if let folder = try any(SimulatedFolder.self, using: &random),
        let parent = try any(SimulatedFolder.self, using: &random),
        !isInside(parent, folder)
      {
        folder.parent = parent
      }
    case 20...23: try editShelf(using: &random)
    case 24...27: try editFoldedValue(using: &random)
    case 18: if let item = try any(SimulatedItem.self, using: &random) { context.delete(item) }
    default:
      if Bool.random(using: &random) {
        if let folder = try any(SimulatedFolder.self, using: &random) { context.delete(folder) }
      } else if let label = try any(SimulatedLabel.self, using: &random) {
        context.delete(label)
      }
    }
  }

  private func isInside(_ folder: SimulatedFolder, _ other: SimulatedFolder) -> Bool {
    var folder: SimulatedFolder? = folder
    // Concurrent moves may have made a circle; it is not walked twice.
    for _ in 0..<50 {
      if folder === other { return true }
      folder = folder?.parent
    }
    return folder != nil
  }

  private func editValue(using random: inout SeededRandomSource) throws {
    guard let item = try any(SimulatedItem.self, using: &random) else { return }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: item.text = "text \(Int.random(in: 0..<1_000, using: &random))"
    case 1: item.text = nil
    case 2: item.count = Int64.random(in: -5...5, using: &random)
    case 3: item.weight = Double.random(in: 0...1, using: &random)
    case 4:
      item.due = Date(
        timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<1_000_000, using: &random)) / 8)
    case 5: item.isDone = Bool.random(using: &random)
    case 6:
      item.picture = Data(
        (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    default: try any(SimulatedLabel.self, using: &random)?.color = "#\(Int.random(in: 0..<9, using: &random))"
    }
  }
}
