import ChangeTracking
import Foundation
import ObjectStore

/// Two stores that agree, made once; every run begins with copies of them.
final class FuzzStage: Sendable {
  static let shared: FuzzStage = {
    // Without a stage there is nothing to fuzz, and libFuzzer takes no errors.
    do { return try FuzzStage() } catch { fail("the two stores cannot be made: \(error)") }
  }()

  let scene: HostileSets.Scene
  private let model: ManagedObjectModel
  private let folder: URL
  private static let names = ["left", "right"]

  private init() throws {
    // In memory where there is a file system for that.
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let base =
      FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    folder = base.appending(path: "ticds-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    model = try MergingModel.make()
    scene = try Self.furnish(folder, model)
    atexit { try? FileManager.default.removeItem(at: FuzzStage.shared.folder) }
  }

  /// Makes the two stores and closes them.
  private static func furnish(_ folder: URL, _ model: ManagedObjectModel) throws -> HostileSets.Scene {
    let devices = try names.enumerated().map { index, name in
      try FuzzDevice(
        name, model: model, path: folder.appending(path: "\(name).template").path, seed: UInt64(index + 1))
    }
    try devices[0].edit { context in
      let folder = try context.insert(entity: "Folder")
      for (entity, title) in [("Note", "first"), ("Note", "second"), ("Task", "third")] {
        let object = try context.insert(entity: entity)
        object["title"] = .string(title)
        object["code"] = .string(title)
        object.setTarget(folder, "folder")
        object.setMembers([folder], "guestOf")
      }
      try context.insert(entity: "Tag")["name"] = .string("red")
    }
    try devices[1].receive(try devices[0].push())
    try devices[1].edit { context in try context.insert(entity: "Tag")["name"] = .string("blue") }
    try devices[0].receive(try devices[1].push())
    let objects = try MergingModel.concrete.flatMap { entity in
      try devices[0].objects(entity).compactMap { object -> (String, SyncID)? in
        guard case .string(let syncID) = object[SyncModelKey.syncID] else { return nil }
        return (entity, SyncID(syncID))
      }
    }
    return HostileSets.Scene(
      authors: try devices.map { try $0.author }, objects: objects,
      entities: model.syncSchema.entities.map { entity in
        EntityNames(
          name: entity.name, root: entity.root,
          properties: entity.properties.map { property in
            let kind: EntityNames.Property.Kind =
              switch property.kind {
              case .attribute: .attribute
              case .toOne(let destination, _), .partner(let destination): .toOne(destination: destination)
              case .toMany(let destination, _): .toMany(destination: destination)
              }
            return EntityNames.Property(name: property.name, kind: kind)
          })
      })
  }

  /// Runs something with fresh copies.
  func perform(_ body: (_ left: FuzzDevice, _ right: FuzzDevice) throws -> Void) throws {
    let paths = Self.names.map { folder.appending(path: $0).path }
    for (name, path) in zip(Self.names, paths) {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      try FileManager.default.copyItem(atPath: folder.appending(path: "\(name).template").path, toPath: path)
    }
    let devices = try zip(Self.names, paths).enumerated().map { index, device in
      try FuzzDevice(device.0, model: model, path: device.1, seed: UInt64(100 + index))
    }
    try body(devices[0], devices[1])
  }
}
