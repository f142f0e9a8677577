// Whoever uses the short form declares objects (ObjectStore), reads reports (SyncProtocol) and the conflicts in them
// (ChangeTracking): one import is to be enough.
@_exported import ChangeTracking
@_exported import ObjectStore
@_exported import SyncProtocol
