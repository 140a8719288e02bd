"""The data sets: URLs, hashes, licences, what to cite."""

from __future__ import annotations

from geoforest_cli.datasets.files import Dataset, File

__all__ = ["CATALOGUE"]

_NARM = (
    "https://raw.githubusercontent.com/ethanhezhao/NARM/"
    "91c4fa56e447d690e1cde556ae9414b83dc36b89/SymNARM/datasets/"
)
_INFOMAP = (
    "https://raw.githubusercontent.com/mapequation/infomap-notebooks/"
    "78aa75cb8e739a8f44660af15a1304ddf9a4ec41/data/"
)
_DROSOPHILA = (
    "https://raw.githubusercontent.com/graspologic-org/graspologic/"
    "0aab4e0dd9a3387b0d761b4a0bb7ffd2a1a5ea25/graspologic/datasets/drosophila/"
)
_UCI = "https://archive.ics.uci.edu/static/public/"
_MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist/"
_ZHAO = "Zhao, Du and Buntine, Leveraging Node Attributes for Incomplete Relational Data, ICML 2017"


def _plain(base: str, *named: tuple[str, str]) -> tuple[File, ...]:
    return tuple(File(name, base + name, sha256) for name, sha256 in named)


_SETS = (
    Dataset(
        "drosophila_mb",
        "connectome of the mushroom body of a fruit fly larva, right and left",
        "Geodesic Forests, Figure 5",
        _plain(
            _DROSOPHILA,
            (
                "right_adjacency.csv",
                "b9684d323e3f91ac5bf8c3691ff3e0635ef40fa2dee8e048161633760c84791d",
            ),
            (
                "right_cell_labels.csv",
                "80547ac9df6b3fc5abe5844c04bc5da56b48c7cac5eb13ab3cc2f8695cd6de1d",
            ),
            (
                "left_adjacency.csv",
                "f23ba630f10dff95164ddbbdccf7d4fe1ac01a9a8ed77db26069af4a6248a1cf",
            ),
            (
                "left_cell_labels.csv",
                "a733652a33d5dde5c7cbdc9d8c0e679680cd000dc11edf3ea762a4da43b764c9",
            ),
        ),
        "MIT (the repository it comes from); no separate licence of the data",
        "Eichler et al., The complete connectome of a learning and memory centre in an insect "
        "brain, Nature 548, 2017; Priebe et al., arXiv 1705.03297, 2017",
    ),
    Dataset(
        "lazega_cowork",
        "co-work network of 71 lawyers with attributes",
        "SMERF, Figure 2",
        (
            *_plain(
                _NARM,
                (
                    "lazega-cowork.mat",
                    "0b49e45c5f901ed0bbca1d46d51ef792d362ef33ae9f999e41dff11123e98b66",
                ),
            ),
            *_plain(
                _INFOMAP,
                ("ELattr.dat", "f39032236a61cf9ff06763d0d720a4dfcabed91167b4d23cfca69e33be4fc64b"),
                ("ELwork.dat", "1a1096c3ceb50f5161e8301a988f192d461050996f8d7bbcb540ab2a261c369e"),
            ),
        ),
        "none stated (the original page asks for citation); repositories MIT and MPL-2.0",
        f"Lazega, The Collegial Phenomenon, Oxford University Press, 2001; {_ZHAO}",
    ),
    Dataset(
        "facebook_ego",
        "ego network of 347 people with 227 binary attributes",
        "SMERF, Figure 2",
        _plain(
            _NARM,
            (
                "facebook-ego.mat",
                "ec6fdd041f682bd2393ef3c9b79da4ee99982f62ffaee9dcea3da64a28997548",
            ),
        ),
        "none known for the data; repository MIT",
        "McAuley and Leskovec, Learning to Discover Social Circles in Ego Networks, NIPS 2012; "
        + _ZHAO,
    ),
    Dataset(
        "nips234",
        "co-authorship of 234 authors with 100 binary attributes",
        "SMERF, Figure 2",
        _plain(
            _NARM,
            ("nips234.mat", "3d4aefd116209270516709d1913b93e7097895605a69527ba4c1ffbaf6f691c4"),
        ),
        "none known for the data; repository MIT",
        f"Globerson et al., JMLR 8, 2007; Miller, Griffiths and Jordan, NIPS 2009; {_ZHAO}",
    ),
    Dataset(
        "banknote",
        "1372 banknotes, genuine and forged, 4 wavelet features",
        "Spherelets, Table 2",
        (
            File(
                "data_banknote_authentication.txt",
                _UCI + "267/banknote+authentication.zip",
                "d0539aaed2139ba7a587b3e34fb345ce503ff7d5d33dbf9912d8e195ce425cb9",
                "data_banknote_authentication.txt",
                "1e2acd9a2085fadf3d8145c12d3d22af853320d52294a6590c2eaf75fdc05227",
            ),
        ),
        "CC BY 4.0",
        "Lohweg, Banknote Authentication, UCI, 2013, doi 10.24432/C55P57",
    ),
    Dataset(
        "ccpp",
        "9568 hours of a combined cycle power plant: 4 predictors and its output",
        "Spherelets, Figures 6 and 8",
        (
            File(
                "Folds5x2_pp.ods",
                _UCI + "294/combined+cycle+power+plant.zip",
                "5a9b34c94892cb7040ed5dd10209f3a5855c103e7b52ba515842a03ed9971891",
                "CCPP/Folds5x2_pp.ods",
                "cc7b2a4977c0a44e8221c91d9a7e5746b3c68186cff7e5c61c70af6432b98c7a",
            ),
        ),
        "CC BY 4.0",
        "Tufekci, Int. J. Electrical Power and Energy Systems 60, 2014, doi 10.24432/C5002N",
    ),
    Dataset(
        "concrete",
        "1030 concrete mixtures: 8 predictors and the compressive strength",
        "Spherelets, Figures 7 and 9",
        tuple(
            File(
                name,
                _UCI + "165/concrete+compressive+strength.zip",
                sha256,
                name,
                "dad85d14de8aee4e07479daa774e6b569a313715b71a3b92c95a07cf91c2c9a7",
            )
            for name, sha256 in (
                (
                    "Concrete_Data.xls",
                    "710076c66b9ca3f8050e7942f3dcbdbe04013534daeb0077ffd3079a52d8e0c4",
                ),
                (
                    "Concrete_Readme.txt",
                    "5cd3cdb31d3cfd68287daa6b22ed0541d6932113e83ee0980ced63641af3441d",
                ),
            )
        ),
        "CC BY 4.0; keep I-C. Yeh's notice",
        "Yeh, Cement and Concrete Research 28(12), 1998, doi 10.24432/C5PK67",
    ),
    Dataset(
        "mnist",
        "70,000 images of handwritten digits, 28 x 28",
        "MORF, Figures 3 and 4",
        _plain(
            _MNIST,
            (
                "train-images-idx3-ubyte.gz",
                "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            ),
            (
                "train-labels-idx1-ubyte.gz",
                "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            ),
            (
                "t10k-images-idx3-ubyte.gz",
                "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            ),
            (
                "t10k-labels-idx1-ubyte.gz",
                "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
            ),
        ),
        "none in the files; commonly listed as CC BY-SA 3.0",
        "LeCun, Bottou, Bengio and Haffner, Proc. IEEE 86(11), 1998",
    ),
    Dataset(
        "galaxy_zoo1",
        "votes on 667,944 galaxies",
        "Spherelets, Table 3",
        _plain(
            "https://galaxy-zoo-1.s3.amazonaws.com/",
            (
                "GalaxyZoo1_DR_table2.csv.gz",
                "5121e43f502856c9f73e31934a6e7d7282669c3ae065564a31f5d5115f45541d",
            ),
        ),
        "none stated; cite the papers",
        "Lintott et al., MNRAS 389, 2008; Lintott et al., MNRAS 410, 2011",
    ),
)

CATALOGUE = {dataset.name: dataset for dataset in _SETS}
