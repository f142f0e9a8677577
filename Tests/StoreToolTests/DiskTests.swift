import Foundation
import ObjectStore
import ProcessTesting
import Testing

/// Disks that are full or cannot be written: small file systems in memory, mounted in a name space of the test's own.
@Suite struct DiskTests {
  private let tool: StoreTool

  /// A store `original.sqlite` with many notes and three long pictures, and the models `Old.contents` and `New.contents`.
  init() throws {
    tool = try StoreTool()
    let note = EntityDeclaration(
      "Note",
      attributes: [
        .init("title", .string), .init("size", .integer32),
        .init("picture", .binary, allowsExternalStorage: true),
      ])
    var longer = note
    longer.properties[1] = .attribute(.init("extent", .integer64, renamingIdentifier: "size"))
    let new = try ManagedObjectModel(entities: [longer])
    try Data(new.xml.utf8).write(to: URL(filePath: tool.path("New.contents")))
    let store = try PersistentStore(
      model: ManagedObjectModel(entities: [note]), path: tool.path("large.sqlite"))
    let context = try store.newContext()
    try context.insertRows(entity: "Note", from: 0..<4_000) { row, number in
      row["title"] = .string("Note \(number) \(String(repeating: "x", count: 100))")
      row["size"] = .integer(Int64(number))
      if number < 3 { row["picture"] = .data([UInt8](repeating: UInt8(number), count: 150_000)) }
    }
    try StoreFile(path: tool.path("large.sqlite")).copy(to: tool.path("original.sqlite"))
  }

  /// Runs a shell script in the folder, with a mounted `disk` that holds the store. Its variable: `TOOL`; its function: `room`
  /// sets how many KiB are free on the disk, and how it is mounted.
  private func script(_ text: String) async throws -> Subprocess.Result {
    let preparation = """
      cd "$ROOT"
      mkdir disk && mount -t tmpfs none disk
      cp original.sqlite disk/a.sqlite && cp -r .original_SUPPORT disk/.a_SUPPORT
      "$TOOL" verify disk/a.sqlite >/dev/null
      "$TOOL" dump disk/a.sqlite > before
      room() { mount -o "remount,size=$(($(du -sk disk | cut -f 1) + $1))k${2-}" disk; }
      listing() { find disk -type f | sort | xargs sha256sum; }
      listing > files-before

      """
    return try await Subprocess.run(
      MountNamespace.words + ["bash", "-euo", "pipefail", "-c", preparation + text],
      environment: ["TOOL": Checkout.program("ticds-store").path, "ROOT": tool.folder.path])
  }

  @Test(.enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"))
  func `a migration without room says so, and succeeds when there is`() async throws {
    defer { tool.remove() }
    let result = try await script(
      #"""
      room 200
      code=0; "$TOOL" migrate disk/a.sqlite --to New.contents --in-place >out 2>err || code=$?
      "$TOOL" dump disk/a.sqlite | cmp - before; [ ! -s out ]
      printf '%s ' "$code"; cat err
      room 32000
      "$TOOL" migrate disk/a.sqlite --to New.contents --in-place
      "$TOOL" verify disk/a.sqlite >/dev/null
      [ "$("$TOOL" dump disk/a.sqlite | wc -l)" = "$(wc -l < before)" ]
      [ "$(find disk/.a_SUPPORT -type f | wc -l)" = 3 ]
      """#)
    #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
    #expect(result.output.hasPrefix("7 ticds-store: "), "\(result.output)")
    #expect(result.output.filter { $0 == "\n" }.count == 1, "\(result.output)")
  }

  @Test(.enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"))
  func `a new store without room for a row or a long value says so, and leaves nothing`() async throws {
    defer { tool.remove() }
    let result = try await script(
      #"""
      for size in 100 350 600; do
        room $size
        for verb in "copy disk/a.sqlite disk/b.sqlite" \
          "migrate disk/a.sqlite --output disk/b.sqlite --to New.contents"
        do
          code=0; "$TOOL" $verb >out 2>err || code=$?
          listing | diff files-before -; [ ! -s out ]
          printf '%s ' "$code"; cat err
        done
      done
      room 32000
      "$TOOL" copy disk/a.sqlite disk/b.sqlite
      "$TOOL" dump disk/b.sqlite | cmp - before
      "$TOOL" verify disk/b.sqlite >/dev/null
      """#)
    #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 6)
    #expect(lines.allSatisfy { $0.hasPrefix("7 ticds-store: ") }, "\(result.output)")
  }

  @Test(.enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"))
  func `a store on a disk that cannot be written is read, and not migrated`() async throws {
    defer { tool.remove() }
    let result = try await script(
      #"""
      room 8000 ,ro
      "$TOOL" dump disk/a.sqlite | cmp - before
      "$TOOL" verify disk/a.sqlite >/dev/null
      for target in --in-place "--output disk/b.sqlite"; do
        code=0; "$TOOL" migrate disk/a.sqlite --to New.contents $target >out 2>err || code=$?
        [ ! -s out ]; printf '%s ' "$code"; cat err
      done
      listing | diff files-before -
      "$TOOL" migrate disk/a.sqlite --to New.contents --output b.sqlite
      "$TOOL" verify b.sqlite >/dev/null
      """#)
    #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("6 ticds-store: ") }, "\(result.output)")
  }

  @Test(.enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"))
  func `an import without room leaves the store as it was`() async throws {
    defer { tool.remove() }
    let result = try await script(
      #"""
      "$TOOL" copy disk/a.sqlite c.sqlite
      "$TOOL" export disk/a.sqlite --jsonl | sed -e 's/"picture":"[^"]*"/"picture":null/' -e 's/"id":"[^"]*",//' > lines
      cat lines lines lines lines lines > many
      for size in 100 300 600; do
        rm -rf disk/*.sqlite disk/.a_SUPPORT
        room 8000
        cp c.sqlite disk/a.sqlite; cp -r .c_SUPPORT disk/.a_SUPPORT
        room $size
        code=0; "$TOOL" import disk/a.sqlite many >out 2>err || code=$?
        printf '%s ' "$code"; cat err
        cmp c.sqlite disk/a.sqlite
        [ ! -e disk/a.sqlite-journal ]
      done
      """#)
    #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix("7 ticds-store: ") }, "\(result.output)")
  }
}
