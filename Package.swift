// swift-tools-version: 6.1
import PackageDescription

let swiftSettings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let package = Package(
  name: "TICDS",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "CoreDataFormats", targets: ["CoreDataFormats"]),
    .library(name: "ObjectStore", targets: ["ObjectStore"]),
    .library(name: "SQLite", targets: ["SQLite"]),
    .library(name: "OpenSSL", targets: ["OpenSSL"]),
    .library(name: "Zlib", targets: ["Zlib"]),
  ],
  targets: [
    .target(
      name: "ObjectStore", dependencies: ["CoreDataFormats", "OpenSSL", "SQLite", "Zlib"],
      path: "Modules/ObjectStore", swiftSettings: swiftSettings),
    .testTarget(
      name: "ObjectStoreTests",
      dependencies: ["CoreDataFormats", "ObjectStore", "SampleFiles", "SQLite"],
      swiftSettings: swiftSettings),
    .systemLibrary(
      name: "CSQLite", path: "Modules/Support/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "SQLite", dependencies: ["CSQLite"], path: "Modules/Support/SQLite",
      swiftSettings: swiftSettings),
    .target(
      name: "CoreDataFormats", path: "Modules/Support/CoreDataFormats", swiftSettings: swiftSettings),

    // Tools
    .target(
      name: "CommandLineTool", path: "Tools/Support/CommandLineTool", swiftSettings: swiftSettings),

    // Tests
    .testTarget(
      name: "CommandLineToolTests", dependencies: ["CommandLineTool"], swiftSettings: swiftSettings),
    .target(
      name: "SampleFiles", path: "Tests/Support/SampleFiles", swiftSettings: swiftSettings),
    .testTarget(
      name: "CoreDataFormatsTests", dependencies: ["CoreDataFormats", "SampleFiles"],
      swiftSettings: swiftSettings),
    .systemLibrary(
      name: "COpenSSL", path: "Modules/Support/COpenSSL", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(
      name: "OpenSSL", dependencies: ["COpenSSL"], path: "Modules/Support/OpenSSL",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "OpenSSLTests", dependencies: ["OpenSSL"], swiftSettings: swiftSettings),
    .systemLibrary(
      name: "CZlib", path: "Modules/Support/CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "Zlib", dependencies: ["CZlib"], path: "Modules/Support/Zlib", swiftSettings: swiftSettings),
    .testTarget(
      name: "ZlibTests", dependencies: ["Zlib"], swiftSettings: swiftSettings),
    .testTarget(
      name: "SQLiteTests", dependencies: ["SQLite"], swiftSettings: swiftSettings),
  ]
)
