import CoreDataFormats
import Foundation

/// Finds the file that holds a model, and tells the kinds of model files apart by their first bytes.
enum ModelFile {
  /// Models are small; what is longer than 64 MiB is not one.
  static let largestModel = 64 << 20

  static func parse(_ bytes: [UInt8]) throws(ModelFileError) -> ModelFileContents {
    if BinaryPropertyList.isBinaryPropertyList(bytes) {
      return try ElementsModel.isElements(bytes) ? ElementsModel.parse(bytes) : CompiledModel.parse(bytes)
    }
    // A text file may begin with a byte order mark or white space.
    if bytes.prefix(256).contains(UInt8(ascii: "<")) { return try ModelXML.parse(bytes) }
    throw ModelFileError(.otherFormat, "this is neither a compiled model nor the XML of one")
  }

  /// Follows bundles to the file of their current version.
  static func locate(_ url: URL) throws(ModelFileError) -> (url: URL, bytes: [UInt8]) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw ModelFileError(.unreadable, path: url.path, "there is no such file")
    }
    if RegularFile.isOther(url.path) {
      throw ModelFileError(.unreadable, path: url.path, RegularFile.words)
    }
    guard isFolder.boolValue else { return (url, try read(url)) }
    let names = try list(url)
    if names.contains("contents") { return try locate(url.appending(path: "contents")) }
    if names.contains("elements") { return try locate(url.appending(path: "elements")) }
    if let version = names.contains("VersionInfo.plist") ? try compiledVersion(in: url) : nil {
      return try locate(url.appending(path: version))
    }
    if let version = names.contains(".xccurrentversion") ? try sourceVersion(in: url) : nil {
      return try locate(url.appending(path: version))
    }
    let versions = names.filter { $0.hasSuffix(".xcdatamodel") || $0.hasSuffix(".mom") }
    guard let version = versions.first else {
      throw ModelFileError(.otherFormat, path: url.path, "this folder holds no model")
    }
    guard versions.count == 1 else {
      throw ModelFileError(
        .ambiguous, path: url.path,
        "it does not say which of its versions is the current one: \(versions.joined(separator: ", "))")
    }
    return try locate(url.appending(path: version))
  }

  /// The files of all versions that a bundle holds; `nil` if a file is no bundle.
  static func versions(of url: URL) throws(ModelFileError) -> [URL]? {
    guard ["xcdatamodeld", "momd"].contains(url.pathExtension) else { return nil }
    var versions: [URL] = []
    for name in try list(url) where name.hasSuffix(".xcdatamodel") || name.hasSuffix(".mom") {
      versions.append(try locate(url.appending(path: name)).url)
    }
    return versions
  }

  /// The name of the version that a file of a bundle holds.
  static func version(of file: URL) -> String {
    let isSource = ["contents", "elements"].contains(file.lastPathComponent)
    return (isSource ? file.deletingLastPathComponent() : file).deletingPathExtension().lastPathComponent
  }

  private static func compiledVersion(in bundle: URL) throws(ModelFileError) -> String? {
    let version = try string(
      "NSManagedObjectModel_CurrentVersionName", in: bundle.appending(path: "VersionInfo.plist"))
    return version.map { "\($0).mom" }
  }

  private static func sourceVersion(in bundle: URL) throws(ModelFileError) -> String? {
    try string("_XCCurrentVersionName", in: bundle.appending(path: ".xccurrentversion"))
  }

  /// A value of a property list in either format. It names a file in the same folder, never a path.
  private static func string(_ key: String, in url: URL) throws(ModelFileError) -> String? {
    let bytes = try read(url)
    let name: String?
    if BinaryPropertyList.isBinaryPropertyList(bytes) {
      // Not read by Foundation, which stops the process on some damaged lists.
      name = (try? BinaryPropertyList.decode(bytes))?.dictionaryValue?[key]?.stringValue
    } else {
      let list = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
      name = (list as? [String: Any])?[key] as? String
    }
    guard let name else { return nil }
    guard !name.contains("/") else {
      throw ModelFileError(.malformed, path: url.path, "\(key) is no file name")
    }
    return name
  }

  private static func list(_ folder: URL) throws(ModelFileError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    } catch {
      throw ModelFileError(.unreadable, path: folder.path, "the folder cannot be read", underlying: error)
    }
  }

  private static func read(_ url: URL) throws(ModelFileError) -> [UInt8] {
    do {
      let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
      guard size <= largestModel else {
        throw ModelFileError(.otherFormat, path: url.path, "this is too long for a model: \(size) bytes")
      }
      return Array(try Data(contentsOf: url))
    } catch let error as ModelFileError { throw error } catch {
      throw ModelFileError(.unreadable, path: url.path, "the file cannot be read", underlying: error)
    }
  }
}
