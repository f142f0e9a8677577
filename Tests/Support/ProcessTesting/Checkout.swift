import Foundation

/// The places that tests of the whole project need.
public enum Checkout {
  /// The root of the sources: the nearest folder above this file that has a `Package.swift`.
  public static let root: URL = {
    var folder = URL(filePath: #filePath).deletingLastPathComponent()
    while folder.path != "/",
      !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
    {
      folder.deleteLastPathComponent()
    }
    return folder
  }()

  /// A program of the package that was built together with the tests.
  public static func program(_ name: String) -> URL {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
  }
}
