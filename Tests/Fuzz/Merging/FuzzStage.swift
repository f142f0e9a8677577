import ChangeTracking
import Foundation
import ObjectStore

/// Two stores that agree, made once, and what a migration makes of the second; every run begins with copies of them.
final class FuzzStage: Sendable {
  static let shared: FuzzStage = {
    // Without a stage there is nothing to fuzz, and libFuzzer takes no errors.
    do { return try FuzzStage() } catch { fail("the two stores cannot be made: \(error)") }
  }()

  let scene: HostileSets.Scene
  private static let models = Result {
    (first: try MergingModel.make(.first), renamed: try MergingModel.make(.renamed))
  }
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
    scene = try Self.furnish(folder)
    atexit { try? FileManager.default.removeItem(at: FuzzStage.shared.folder) }
  }

  static func model(_ version: MergingModel.Version) throws -> ManagedObjectModel {
    let models = try models.get()
    return version == .first ? models.first : models.renamed
  }

  private static func template(_ name: String, _ version: MergingModel.Version) -> String {
    "\(name).\(version)"
  }

  /// Makes the stores and closes them.
  private static func furnish(_ folder: URL) throws -> HostileSets.Scene {
    let scene = try meet(folder)
    let renamed = folder.appending(path: template("right", .renamed))
    try FileManager.default.copyItem(at: folder.appending(path: template("right", .first)), to: renamed)
    _ = try FuzzDevice("right", .renamed, path: renamed.path, seed: 3).push()
    return scene
  }

  /// Makes the two stores of the first version.
  private static func meet(_ folder: URL) throws -> HostileSets.Scene {
    let devices = try names.enumerated().map { index, name in
      try FuzzDevice(
        name, .first, path: folder.appending(path: template(name, .first)).path, seed: UInt64(index + 1))
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
      versions: try [MergingModel.Version.first, .renamed].map { entities(of: try model($0).syncSchema) })
  }

  /// The names of a schema as sets tell them.
  private static func entities(of schema: SyncSchema) -> [EntityNames] {
    schema.entities.map { entity in
      EntityNames(
        name: entity.name, formerNames: schema.formerNames[entity.name] ?? [], root: entity.root,
        properties: entity.properties.map { property in
          let kind: EntityNames.Property.Kind =
            switch property.kind {
            case .attribute: .attribute
            case .toOne(let destination, _), .partner(let destination): .toOne(destination: destination)
            case .toMany(let destination, _): .toMany(destination: destination)
            }
          return EntityNames.Property(
            name: property.name, formerNames: property.formerNames, kind: kind)
        })
    } + roots(of: schema)
  }

  /// Roots that no object is of, for a set tells their former names.
  private static func roots(of schema: SyncSchema) -> [EntityNames] {
    let concrete = Set(schema.entities.map(\.name))
    return Set(schema.entities.map(\.root)).subtracting(concrete).sorted().map {
      EntityNames(name: $0, formerNames: schema.formerNames[$0] ?? [], root: $0, properties: [])
    }
  }

  /// Runs something with fresh copies.
  func perform(
    _ version: MergingModel.Version, _ body: (_ left: FuzzDevice, _ right: FuzzDevice) throws -> Void
  ) throws {
    let devices = try zip(Self.names, [.first, version]).enumerated().map { index, device in
      let path = folder.appending(path: device.0).path
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      try FileManager.default.copyItem(
        atPath: folder.appending(path: Self.template(device.0, device.1)).path, toPath: path)
      return try FuzzDevice(device.0, device.1, path: path, seed: UInt64(100 + index))
    }
    try body(devices[0], devices[1])
  }
}
