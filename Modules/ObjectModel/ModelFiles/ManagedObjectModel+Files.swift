import CoreDataFormats
import Foundation
import TICDSZlib

extension ManagedObjectModel {
  /// Loads a model from a file or bundle of any kind that Core Data's tools make: `.xcdatamodeld` and `.momd` (the
  /// current version), `.xcdatamodel`, its `contents` or old `elements` file, `.mom`.
  ///
  /// - Throws: ``ModelFileError`` that names the file, and with every mistake of the model itself.
  public convenience init(contentsOf url: URL) throws(ModelFileError) {
    let file = try ModelFile.locate(url)
    do {
      let contents = try ModelFile.parse(file.bytes)
      try self.init(contents)
    } catch {
      var error = error
      error.path = file.url.path
      throw error
    }
  }

  /// Loads a model from the bytes of a model file.
  ///
  /// - Throws: ``ModelFileError``, with every mistake of the model itself.
  public convenience init(modelFile bytes: [UInt8]) throws(ModelFileError) {
    try self.init(ModelFile.parse(bytes))
  }

  /// Loads the model that a store keeps of itself: the content of its table `Z_MODELCACHE`, which is a compiled model
  /// compressed with raw DEFLATE.
  ///
  /// - Throws: ``ModelFileError`` if it is damaged.
  public convenience init(modelCache bytes: [UInt8]) throws(ModelFileError) {
    let compiled: [UInt8]
    do { compiled = try inflate(bytes, format: .raw, limit: ModelFile.largestModel) } catch {
      throw ModelFileError(.malformed, "the model cache does not inflate: \(error)", underlying: error)
    }
    try self.init(CompiledModel.parse(compiled))
  }

  /// The model as a `.mom` file holds it, which Core Data loads as it loads what Xcode's compiler makes.
  public var compiled: [UInt8] { CompiledModelWriter.archive(of: self, as: .file) }

  /// What a store keeps of the model in its table `Z_MODELCACHE`.
  ///
  /// - Throws: ``ZlibError`` for want of memory.
  package func modelCache() throws(ZlibError) -> [UInt8] {
    try deflate(CompiledModelWriter.archive(of: self, as: .cache), format: .raw)
  }

  private convenience init(_ contents: ModelFileContents) throws(ModelFileError) {
    do {
      try self.init(entities: contents.entities, versionIdentifiers: contents.versionIdentifiers)
    } catch { throw ModelFileError(error) }
  }
}

/// What a model file says, before it is checked.
struct ModelFileContents {
  var entities: [EntityDeclaration]
  var versionIdentifiers: [String]
}
