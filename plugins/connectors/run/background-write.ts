/** One write at a time, while the work goes on. What it throws is thrown by the next call. */
export class BackgroundWrite {
  #writing: Promise<void> = Promise.resolve();

  /** Begins a write once the one before has ended. */
  async begin(write: () => Promise<void>): Promise<void> {
    await this.#writing;
    this.#writing = write();
    this.#writing.catch(() => undefined);
  }

  /** Waits for the end of what was begun. */
  end(): Promise<void> {
    return this.#writing;
  }
}
