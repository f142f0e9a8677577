import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Asks the provider of a folder for the content of a file.
enum ContentRequest {
  /// On Apple's systems there is a call for it. Elsewhere the date of the placeholder is set, which a provider that watches its folder
  /// sees.
  ///
  /// - Parameter file: the file's path on this device. If its content has come meanwhile, nothing is asked.
  @Sendable static func send(_ file: String) throws {
    #if canImport(Darwin)
      try FileManager.default.startDownloadingUbiquitousItem(at: URL(filePath: file))
    #else
      let url = URL(filePath: file)
      let name = PlaceholderName.name(for: url.lastPathComponent)
      let placeholder = url.deletingLastPathComponent().appending(path: name).path(percentEncoded: false)
      guard utimes(placeholder, nil) == 0 || errno == ENOENT else {
        throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: placeholder])
      }
    #endif
  }
}
