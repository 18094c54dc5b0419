/*
 * exercise_filebuf SEED SEQUENCES DIRECTORY
 *
 * What exercise_streams does, with file streams of C++, which read and write past the stream of C that
 * they open: random sequences of calls on a file below DIRECTORY, a transcript and some files are left.
 */
#include "exercise.h"

#include <ext/stdio_filebuf.h>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{

constexpr long KEPT = 25; // one file in so many is left

using mode = std::ios_base::openmode;
using std::ios_base;

std::ostringstream transcript;
std::string path;

unsigned hash_of(const std::string &data)
{
    unsigned hash = 2166136261u;
    for (const char each : data)
        hash = (hash ^ static_cast<unsigned char>(each)) * 16777619u;
    return hash;
}

std::string some_bytes()
{
    std::string bytes(random_length(20000), ' ');
    random_fill(bytes.data(), bytes.size());
    return bytes;
}

mode some_mode()
{
    const mode modes[] = {ios_base::in,
                          ios_base::out,
                          ios_base::app,
                          ios_base::in | ios_base::out,
                          ios_base::in | ios_base::out,
                          ios_base::in | ios_base::out | ios_base::trunc,
                          ios_base::in | ios_base::out | ios_base::trunc,
                          ios_base::in | ios_base::out | ios_base::app,
                          ios_base::in | ios_base::out | ios_base::ate};
    return modes[random_below(sizeof modes / sizeof *modes)] | ios_base::binary;
}

/* The characters are bytes, or wide ones of a byte each. */
template <typename Char> class Sequence
{
    using Buffer = std::basic_filebuf<Char>;
    using Text = std::basic_string<Char>;

    std::vector<Char> own = std::vector<Char>(5000); // outlives the buffer that it is given to
    std::unique_ptr<Buffer> file = std::make_unique<Buffer>();
    enum { EITHER, READING, WRITING } turn = EITHER;

    static Text text_of(const std::string &bytes)
    {
        Text text;
        for (const char each : bytes)
            text += static_cast<Char>(sizeof(Char) == 1 ? each : 'a' + (each & 15));
        return text;
    }

    static std::string bytes_of(const Text &text)
    {
        return std::string(text.begin(), text.end());
    }

    void seek()
    {
        const ios_base::seekdir directions[] = {ios_base::beg, ios_base::cur, ios_base::end};
        const auto which = random_below(3);
        const auto reach = static_cast<long>(random_length(20000));
        const long offset = which == 0
            ? reach
            : static_cast<long>(random_below(2 * static_cast<uint64_t>(reach))) - reach;
        transcript << " seek=" << file->pubseekoff(offset, directions[which]);
        turn = EITHER;
    }

    /* The standard wants a seek between reading and writing. */
    void take_turn(decltype(turn) next)
    {
        if (turn != EITHER && turn != next)
            transcript << " turn=" << file->pubseekoff(0, ios_base::cur);
        turn = next;
    }

    void put()
    {
        const Text text = text_of(some_bytes());
        take_turn(WRITING);
        const auto size = static_cast<std::streamsize>(text.size());
        errno = 0;
        const auto count = file->sputn(text.data(), size);
        transcript << " put=" << count;
        if (count < size)
            transcript << '(' << strerror(errno) << ')';
    }

    void put_one()
    {
        take_turn(WRITING);
        transcript << " one=" << (file->sputc(Char('1')) == Char('1'));
    }

    void get()
    {
        Text text(random_length(20000), Char(' '));
        take_turn(READING);
        const auto count = file->sgetn(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<size_t>(count));
        transcript << " get=" << count << ':' << hash_of(bytes_of(text));
    }

    void get_one_and_put_back()
    {
        take_turn(READING);
        const auto got = file->sbumpc();
        transcript << " bump=" << static_cast<long>(got);
        if (got != std::char_traits<Char>::eof() && random_below(2) == 0)
            transcript << " back=" << static_cast<long>(file->sungetc());
    }

    void reopen()
    {
        const mode how = some_mode();
        transcript << " close=" << (file->close() != nullptr);
        transcript << " open[" << how << "]=" << (file->open(path, how) != nullptr);
        turn = EITHER;
    }

    void move()
    {
        auto other = std::make_unique<Buffer>();
        other->swap(*file);
        file = std::move(other);
        transcript << " moved";
    }

    void open()
    {
        const mode how = some_mode();
        if (random_below(4) == 0) {
            const std::streamsize sizes[] = {0, 1, 100, 5000};
            file->pubsetbuf(own.data(), sizes[random_below(4)]);
            transcript << " buffer";
        }
        if (random_below(5) == 0 && !(how & ios_base::app)) {
            const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0644);
            file = std::make_unique<__gnu_cxx::stdio_filebuf<Char>>(fd, how);
            transcript << " descriptor";
        } else {
            file->open(path, how);
        }
        transcript << " open[" << how << "]=" << file->is_open();
    }

  public:
    void run()
    {
        open();
        for (uint64_t calls = 2 + random_below(25); calls > 0 && file->is_open(); calls--) {
            switch (random_below(16)) {
            case 0:
                transcript << " sync=" << file->pubsync();
                break;
            case 1:
                random_below(4) == 0 ? reopen() : move();
                break;
            case 2:
            case 3:
            case 4:
            case 5:
                seek();
                break;
            case 6:
                transcript << " at=" << file->pubseekoff(0, ios_base::cur);
                turn = EITHER;
                break;
            case 7:
            case 8:
            case 9:
                put();
                break;
            case 10:
            case 11:
                put_one();
                break;
            case 12:
            case 13:
                get();
                break;
            default:
                get_one_and_put_back();
            }
        }
        transcript << " close=" << (file->close() != nullptr);
    }
};

void conclude(bool kept)
{
    std::ifstream file(path, ios_base::binary);
    std::ostringstream content;
    content << file.rdbuf();
    transcript << " holds=" << content.str().size() << ':' << hash_of(content.str()) << '\n';
    if (!kept)
        unlink(path.c_str());
}

} // namespace

int main(int count, char **arguments)
{
    CHECK_EQUAL(count, 4);
    const uint64_t seed = strtoull(arguments[1], nullptr, 10);
    const std::string directory = arguments[3];
    for (step = 0; step < strtol(arguments[2], nullptr, 10); step++) {
        random_seed(seed * 1000003 + static_cast<uint64_t>(step));
        path = directory + "/" + std::to_string(step);
        transcript << step << ':';
        if (random_below(3) > 0)
            std::ofstream(path) << std::string(random_length(20000), 'b');
        random_below(4) == 0 ? Sequence<wchar_t>().run() : Sequence<char>().run();
        conclude(step % KEPT == 0);
    }
    std::ofstream left(directory + "/transcript");
    left << transcript.str();
    left.close();
    CHECK(left.good());
    return 0;
}
