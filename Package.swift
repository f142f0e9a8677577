// swift-tools-version: 6.1
import PackageDescription

let swiftSettings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let package = Package(
  name: "TICDS",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "SQLite", targets: ["SQLite"]),
    .library(name: "SyncProtocol", targets: ["SyncProtocol"]),
    .library(name: "FileManagerBackend", targets: ["FileManagerBackend"]),
    .library(name: "BackendConformance", targets: ["BackendConformance"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", path: "Modules/Support/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "SQLite", dependencies: ["CSQLite"], path: "Modules/Support/SQLite",
      swiftSettings: swiftSettings),
    .target(
      name: "SyncProtocol", dependencies: [], path: "Modules/SyncProtocol", swiftSettings: swiftSettings),
    .target(
      name: "FileManagerBackend", dependencies: ["SyncProtocol"], path: "Backends/FileManagerBackend",
      swiftSettings: swiftSettings),
    .target(
      name: "BackendConformance", dependencies: ["SyncProtocol"], path: "Backends/BackendConformance",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "FileManagerBackendTests", dependencies: ["BackendConformance", "FileManagerBackend", "SyncProtocol"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SQLiteTests", dependencies: ["SQLite"], swiftSettings: swiftSettings),
  ]
)
