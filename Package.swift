// swift-tools-version: 6.1
import PackageDescription

let swiftSettings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let package = Package(
  name: "TICDS",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "CoreDataFormats", targets: ["CoreDataFormats"]),
    .library(name: "SQLite", targets: ["SQLite"]),
  ],
  targets: [
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
    .testTarget(
      name: "CoreDataFormatsTests", dependencies: ["CoreDataFormats"], swiftSettings: swiftSettings),
    .testTarget(
      name: "SQLiteTests", dependencies: ["SQLite"], swiftSettings: swiftSettings),
  ]
)
