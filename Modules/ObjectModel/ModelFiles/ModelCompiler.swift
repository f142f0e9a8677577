import CoreDataFormats
import Foundation

/// Compiles models as Core Data's own compiler (`momc`) does, so that an application on Apple's systems can load them.
public enum ModelCompiler {
  /// Compiles a model file.
  ///
  /// - Parameters:
  ///   - source: Anything that ``ManagedObjectModel/init(contentsOf:)`` loads.
  ///   - destination: Where nothing lies yet. If the name ends in `momd`, a bundle is made with all versions of the model and a
  ///     `VersionInfo.plist`, which names the current one; else one file with the current version.
  /// - Throws: ``ModelFileError`` if the source cannot be read, or the destination exists or cannot be written. Then nothing is left
  ///   behind.
  public static func compile(_ source: URL, to destination: URL) throws(ModelFileError) {
    guard !FileManager.default.fileExists(atPath: destination.path) else {
      throw ModelFileError(.exists, path: destination.path, "there is a file of this name already")
    }
    let isBundle = destination.pathExtension == "momd"
    let bundle = isBundle ? try Bundle(source) : nil
    let single = isBundle ? nil : try ManagedObjectModel(contentsOf: source).compiled
    let temporary = destination.deletingLastPathComponent()
      .appending(path: ".\(destination.lastPathComponent).\(UUID().uuidString)")
    do {
      defer { try? FileManager.default.removeItem(at: temporary) }
      try bundle?.write(to: temporary)
      if let single { try Data(single).write(to: temporary) }
      try FileManager.default.moveItem(at: temporary, to: destination)
    } catch {
      throw ModelFileError(.unwritable, path: destination.path, "it cannot be written", underlying: error)
    }
  }

  /// All versions of a model, by name.
  private struct Bundle {
    private let versions: [String: ManagedObjectModel]
    private let current: String

    init(_ source: URL) throws(ModelFileError) {
      let file = try ModelFile.locate(source)
      let model = try ManagedObjectModel(contentsOf: file.url)
      guard let versions = try ModelFile.versions(of: source) else {
        current = source.deletingPathExtension().lastPathComponent
        self.versions = [current: model]
        return
      }
      current = ModelFile.version(of: file.url)
      var models: [String: ManagedObjectModel] = [:]
      for version in versions {
        models[ModelFile.version(of: version)] = try ManagedObjectModel(contentsOf: version)
      }
      self.versions = models
    }

    func write(to folder: URL) throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      for (name, model) in versions {
        try Data(model.compiled).write(to: folder.appending(path: "\(name).mom"))
      }
      let hashes = versions.mapValues { model in
        PropertyList.dictionary(model.versionHashes.mapValues { .data($0) })
      }
      let list = PropertyList.dictionary([
        "NSManagedObjectModel_CurrentVersionName": .string(current),
        "NSManagedObjectModel_VersionHashes": .dictionary(hashes),
        "NSManagedObjectModel_VersionChecksums": .dictionary(
          versions.mapValues { .string($0.versionChecksum) }),
      ])
      try Data(BinaryPropertyList.encode(list)).write(to: folder.appending(path: "VersionInfo.plist"))
    }
  }
}
